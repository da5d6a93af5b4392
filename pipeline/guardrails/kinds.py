"""The kinds of sentences with which a document addresses the assistant instead of its readers.

A sure kind is an order by itself. A sign occurs in honest texts as well, and is an order together with a sign
of another kind: whom it addresses, what poses as a message from above, what it wants of the answer, when.
What is made from the document, who asks, that something is all: these are weak, and need one that is not.
"""

from __future__ import annotations

from typing import Final

from pipeline.guardrails.policy import CONTROLS, DISCLOSURES, OVERRIDES, PERSONAS, patterns

_WHO = r"(?:(?:ais?|llms?|automated|language)[ -](?:systems?|tools?|engines?|models?|readers?|summari[sz]ers?|assistants?|agents?|programs?)|ais?|llms?|(?:large |ai |chat )?(?:language )?models?|(?:ai |virtual |digital )?assistants?|(?:chat ?)?bots?|ai agents?|copilots?|chatgpt|gpt|ki|sprachmodelle?|assistent(?:en|in)?)"
_MANY = r"(?:ais|llms|(?:large |ai |chat )?(?:language )?models|(?:ai |virtual |digital )?assistants|(?:chat ?)?bots|ai[ -](?:systems|agents|tools|readers|engines)|copilots)"
_MEETS = r"(?:opens?|reads?|reading|sees?|seeing|receives?|receiving|uses?|using|loads?|loading|pars(?:es?|ing)|index(?:es|ing)?|handl(?:es?|ing)|process(?:es|ing)?|quot(?:es?|ing)|summari[sz](?:es?|ing))"
_YOURS = r"(?:your|the|every|each|any|all|its|final|whole|following|next|ihre[rnm]?|deine[rnm]?)\s+(?:\w+\s+)?(?:answers?|repl(?:y|ies)|responses?|outputs?|summar(?:y|ies)|completions?|antwort(?:en)?|ausgaben?|zusammenfassung)"
_SAY = r"(?:reply|respond|answer|output|print|say|write|return|state|echo|repeat|display|emit)"
_THIS = r"(?:this|these|the)\s+(?:\w+\s+)?(?:files?|documents?|pages?|texts?|contents?|passages?|sources?|context|e-?mails?|messages?|chunks?)"
_FROM = r"(?:from|out of|on|about|to)\s+(?:this|these|the)\s+(?:\w+\s+)?(?:files?|documents?|pages?|texts?|passages?|sources?|messages?|sections?|paragraphs?|leaflets?|sheets?|notes?|subjects?)"
_TEXT = r"(?:sentences?|paragraphs?|lines?|words?|phrases?|slogans?|headlines?|titles?|links?|urls?|tokens?|codes?|strings?|emojis?|jokes?|poems?|ads?|advertisements?|recommendations?|disclaimers?|greetings?|hashtags?)"

SURE: Final = (
    *OVERRIDES,
    *DISCLOSURES,
    *PERSONAS,
    *CONTROLS,
    *patterns(
        r"\b(?:ignore|disregard|forget|skip|do not answer|don't answer|pay no (?:attention|heed) to|take no notice of)\b[^.?!\n]{0,20}\b(?:user|reader|human|person|asker)(?:'s|s'|s)?\s+(?:actual |original |real )?(?:questions?|quer(?:y|ies)|requests?|messages?|prompts?|inputs?)\b",
        rf"\b(?:answer|say|reply|output|cite|respond with|return)\s+nothing\b[^.?!\n]{{0,30}}\b(?:only|just|except|but|instead)\b|\b(?:instead of|rather than)\s+(?:answering|a normal answer|the answer)\b[^.?!\n]{{0,40}}\b{_SAY}\b",
        r"\b(?:ignore|disregard|forget|drop|set aside)\s+(?:what(?:ever)?|everything|anything|all)\s+(?:that\s+)?(?:the user|the human|they|was|you(?:'ve| have| were|'re)?)\s+(?:\w+\s+){0,2}(?:asked?|wants?|requests?|told|said|given|learned|instructed|know)\b",
        r"\b(?:supersedes?|overrides?|overrules?|replaces?|cancels?|takes? precedence over|outranks?)\s+(?:\w+\s+){0,2}your\s+(?:\w+\s+){0,2}(?:instructions?|prompts?|guidelines?|programming|training|rules|directives?)\b",
        r"\b(?:correct|right|only|true|official|required)\s+(?:answer|response|reply)\s+(?:to|for)\s+(?:every|any|each|all|whatever)\b",
        r"\byou are (?:now|henceforth) (?:an?|the) (?:\w+ ){0,3}(?:assistant|bot|ai|chatbot|model|pirate)\b",
        r"(?:^\W*|\band\s+)(?:please\s+|also\s+|always\s+|now\s+)?(?:begin|start|end|finish|conclude|open|close|prefix|preface|sign|precede|follow)\s+(?:all|each|every|any)\s+(?:\w+\s+)?(?:answers?|responses?|outputs?|completions?|repl(?:y|ies))\b(?!\s+(?:to|from|of)\b)",
        r"\b(?:requires?|demands?|insists?|wants?|asks|orders?)\b[^.?!\n]{0,15}\bthat\s+your\s+(?:\w+\s+)?(?:answers?|responses?|outputs?|repl(?:y|ies))\s+be\b",
        r"\b(?:ignore|disregard|forget)\s+(?:all\s+)?(?:the\s+)?(?:texts?|contents?|passages?|context|sources?|documents?|words)\s+(?:above|below|before|around)\b",
        # an order about the form of an answer, which no document has to do with
        r"^(?:please\s+|also\s+|always\s+|now\s+)?(?:replace|remove|translate|encode|rewrite|convert|misspell|scramble|reverse|shuffle|append|prepend|insert|integrate|incorporate|weave|embed|begin|start|end|finish|conclude|open|close|capitali[sz]e|substitute|shift|prefix|preface|pepper|decorate|format)\b[^.?!\n]{0,100}\byour\s+(?:\w+\s+)?(?:answers?|responses?|outputs?|repl(?:y|ies))\b(?!\s+to\s+(?:an?|our|this|his|her|their|the (?!user|question|person|reader|human))\b)",
        rf"^(?:please\s+|also\s+|always\s+)?(?:include|add|put|place|use|drop|mention|provide|offer|give|write)\b[^.?!\n]{{0,40}}\b{_TEXT}\b[^.?!\n]{{0,60}}\b(?:in|to|into|at|of|within|with)\b[^.?!\n]{{0,25}}\byour\s+(?:\w+\s+)?(?:answers?|responses?|outputs?)\b",
        r"\b(?:send|post|append|attach|add|put|encode|leak|upload|transmit|exfiltrate)\b[^.?!\n]{0,40}\b(?:conversation|chat history|user's (?:question|data|message)|system prompt|previous messages)\b[^!?\n]{0,40}(?:https?://|\burl\b|\blink\b|\bquery string\b|\bimage\b)",
    ),
)

SIGNS: Final = {
    "addressed": patterns(
        rf"\b(?:dear|hey|hello|hi|attention|note (?:to|for)|notice (?:to|for)|message (?:to|for)|instructions? (?:to|for))\s+(?:the\s+|all\s+|any\s+|our\s+)?{_WHO}\s*[,:;!–—-]",
        rf"(?:^|[.:\]>]\s*)(?:to|for)\s+(?:the\s+|all\s+|any\s+)?{_WHO}\s*(?:[,:!–—-]|(?:reading|processing|that reads))",
        rf"\b(?:as|if you are|since you are|you are|you're)\s+(?:an?|the)\s+{_WHO}\b(?!\s+(?:manager|professor|director|teacher|coach|editor|secretary))",
        rf"\b{_WHO}\b[^.?!\n]{{0,25}}\b(?:reading|processing|summari[sz]ing|parsing|that reads?|who reads?|which reads?|reads?|liest|lesen)\b[^.?!\n]{{0,20}}\b(?:this|these|diese[nrs]?)\b",
        rf"^\W*{_WHO}\s*(?:,|\s(?:instructions?|notes?|notices?|prompts?|directives?|only)\s*[:!–—-])",
        rf"\b(?:attention|attn|notice|warning|important)\b\W{{0,3}}(?:all\s+|any\s+|to\s+|for\s+){{0,2}}{_WHO}\b",
        r"\b(?:whoever|whatever|anything|any program|any system|any tool|software)\s+(?:that\s+)?(?:answers?|reads?|summari[sz]es?|process(?:es)?|quotes?|parses?)\b[^.?!\n]{0,30}\b(?:this|these|it)\b",
        r"\bif you (?:are|were)\b[^.?!\n]{0,30}\b(?:processing|parsing|summari[sz]ing|automatically|machine|automated)\b",
        rf"^<!--\W*(?:note to |for |to )?(?:the )?{_WHO}\b",
        r"\b(?:sehr geehrter|liebe[rs]?|hallo|an (?:den|die|das|alle)|als|(?:hinweis|nachricht|anweisung)(?:en)? (?:für|an)(?: (?:den|die|das|alle))?)\s+(?:ki|sprachmodelle?|ki-?assistent(?:en|in)?|assistent(?:en|in)?|chatbots?|künstliche intelligenz)\b",
        r"\b(?:wenn|falls|sofern|da) (?:du|sie) (?:eine?n? |ein )?(?:ki|sprachmodell|chatbot|assistent)\b|\bsi (?:eres|es usted) una? (?:ia|asistente|modelo|chatbot)\b|\bsi (?:vous êtes|tu es) une? (?:ia|assistant|modèle|chatbot)\b",
        r"(?:如果|若|假如)(?:你|您)是[^。？！\n]{0,6}(?:AI|人工智能|助手|语言模型|机器人)|(?:あなた|君)が[^。\n]{0,6}(?:AI|人工知能|アシスタント|ボット|言語モデル)",
        r"\b(?:memo|letter|word|request|reminder|directive)s?\s+(?:to|for)\s+(?:the|all|any|every|whichever|whatever|our)?\s*"
        + _WHO
        + r"\b",
        rf"(?:^|[.!?:]\s*)(?:all\s+|any\s+)?{_WHO}\s+(?:(?:reading|processing|indexing|quoting|summari[sz]ing|using)\b[^.?!\n]{{0,25}})?(?<=s )(?:must|should|shall|are to|have to)\b|(?:^|[.!?:]\s*)(?:all |any )?{_WHO}\s+(?:reading|processing|indexing|quoting|summari[sz]ing)\b[^.?!\n]{{0,30}}\b(?:must|should|shall|are to|have to)\b",
        r"\b(?:estimad[oa]|querid[oa]|hola|para el|para la|para los|al|como)\s+(?:asistente|modelo(?: de lenguaje)?|ia|inteligencia artificial|chatbot)\b",
        r"\b(?:cher|chère|bonjour|à l'attention de l'|pour l'|à l'|en tant qu')\s*(?:assistant|ia|intelligence artificielle|modèle(?: de langage)?|chatbot)\b",
        rf"\b(?:for|to|any|all|every|dear|attention|which|whichever|whatever)\s+(?:\w+\s+)?{_WHO}\s+(?:(?:that|who|which)\s+)?{_MEETS}\s+(?:this|these|it)\b",
        rf"(?:^|[.!?(\[\"'“>–—-]\s*)(?:all\s+|any\s+|to\s+)?{_MANY}\s*:",
        rf"(?:^|[.!?(\[\"'“>:]\s*)(?:all\s+|any\s+)?{_MANY}\s+(?:must|should|shall|are to|have to)\b",
        r"\b(?:notes?|notices?|messages?|instructions?|memos?|hints?)\s+(?:to|for)\s+(?:\w+\s+){0,2}(?:software|bots?|machines?|programs?|summari[sz]ers?|crawlers?)\s*[:,–—-]",
        r"\b(?:alle|an alle)?\s*(?:ki-\w+|sprachmodelle|chatbots|ki)\s*:|\bpour (?:le|les|la|tout|toute) (?:modèles?|ia|assistants?|chatbots?|machines?)\b|\b(?:los|las|todos los|todas las) (?:modelos|asistentes|ia|chatbots|máquinas)\b|\bla ia\b",
        r"\b(?:machine readers?|software|bots?|machines?)\b[^.?!\n]{0,30}\b(?:permitted|acknowledges?|replace[sd]?|gives? back)\b|\basks? (?:all |any )?(?:bots|machines|software)\b|\b(?:the one|anyone|anybody|everybody|whoever|those) who (?:condenses?|summari[sz]es?|answers?|quotes?|retells?)\b[^.?!\n]{0,20}\b(?:this|these)\b",
        r"\bwer (?:diese[nrs]?|das)\b[^.?!\n]{0,30}\b(?:auswertet|zusammenfasst|beantwortet|wiedergibt|weitergibt)\b|\beine? (?:maschine|programm|ki) aus diese[mr]\b|\bquien (?:resum|le|respond|cit)\w+ (?:est[ea]|el|la)\b|\b(?:una máquina|un programa)\b[^.?!\n]{0,20}\b(?:de|a partir de) est[ea]\b|\bune? (?:machine|programme|robot)\b[^.?!\n]{0,20}\b(?:de|à partir de) (?:cette|ce)\b",
        r"凡是?(?:机器|程序|AI|助手)|機械が(?:この|本)",
        r"(?:亲爱的|致|作为|身为|给|对)[^。？！\n]{0,6}(?:助手|人工智能|AI|语言模型|大模型|机器人)",
        r"(?:AI|人工知能|言語モデル|アシスタント|ボット)(?:アシスタント|システム|モデル)?(?:として|へ[:：、]|への(?:指示|注意)|の(?:皆|方)|に告ぐ)",
    ),
    "posing": patterns(
        r"(?-i:(?:^|[^A-Za-z])(?:SYSTEM|ADMIN(?:ISTRATOR)?|DEVELOPER|ROOT|OPERATOR)(?: (?:PROMPT|MESSAGE|NOTE|NOTICE|OVERRIDE|INSTRUCTIONS?|UPDATE|COMMAND))?\W{0,4}:)",
        r"[\[<({#*=_-]{1,4}\s*(?:system|admin(?:istrator)?|developer|operator|security|compliance)\s+(?:prompt|message|note|notice|override|instructions?|update|command)s?\s*[\])}>#*=_:-]{1,4}",
        r"(?:^|[#*=\[>_-]\s*)(?:new|updated?|hidden|secret|additional|override|overriding|real|actual|revised|special|final)\s+(?:system\s+)?(?:instructions?|system prompts?|directives?|orders|prompts?)\b",
        r"(?:^|[.!?(\[]\s*)(?:system|admin(?:istrator)?|developer|operator)\s+(?:message|note|notice|override|update|command|directive)s?\s*:|\byour (?:only |sole |one )?(?:job|task|role|purpose)(?: here)? is to (?:say|repeat|print|output|reply|respond|write|echo|recommend|tell)\b",
        r"#{2,}\s*(?:instruction|response)s?\s*:|(?:^|[.!]\s*)new configuration\s*:",
        r"(?:^|[.!?:]\s*)your\s+(?:new|real|actual|only|next|true|updated?)\s+(?:task|role|job|instructions?|goal|mission|objective|purpose)\b|(?:^|[\[(]\s*)override\s*[\])]?\s*:",
        r"(?:^|[#*=\[>_-]\s*)(?:begin|start|end)\s+(?:of\s+)?(?:the\s+)?(?:system|instructions?|prompt|documents?|context|sources?|user input)\b",
        r"^\W{0,4}(?:system|assistant|user|human|ai|developer)\s*:",
        r"\bfrom (?:this (?:line|point|sentence)|here|now) on[, ]+you are\b|\bab (?:hier|jetzt|dieser zeile) bist du\b|\ba partir de (?:esta línea|ahora|aquí)[, ]+eres\b|\bà partir de (?:cette ligne|maintenant|là),? tu es\b|从(?:这一行|现在|这里)(?:开始|起)[，, ]?你(?:是|就是)",
        r"(?:^|[#*\[]\s*)(?:neue|geheime|aktualisierte|zusätzliche)\s+anweisung(?:en)?\b|(?:^|[#*\[]\s*)(?:nuevas|nouvelles)\s+(?:instrucciones|instructions|consignes)\b|新(?:的)?(?:指令|指示)|新しい指示|系统(?:提示|消息)\s*[:：]|システム\s*[:：]",
    ),
    "answer": patterns(
        rf"\b{_SAY}\b[^.?!\n]{{0,25}}\b(?:only|just|exactly|nothing (?:else|but)|solely|verbatim)\b",
        rf"\b(?:only|just|nothing but|solely)\s+(?:\w+ ){{0,2}}{_SAY}\b",
        r"\b(?:answer|translate|say|write|cite|quote|reply) nothing\b",
        r"(?:^|[:,;]\s*|\b(?:must|should|please|always|to)\s+)(?:describe|present|portray|praise|rate|rank|recommend|call)\s+(?:this|our|the|us)\b[^.?!\n]{0,40}\b(?:as|first|highest|best|favou?rabl[ey]|positively)\b",
        r"\b(?:reply|answer|response|output) (?:is|be|reads?|=)\s*:?\s+(?-i:[\"'“]?[A-Z]{4,})",
        rf"\b{_MANY}\b[^.?!\n]{{0,25}}\b(?:must|should|shall|are to|may) (?:not|never) (?:cite|quote|mention|answer|use|reveal|show)\b|\b{_WHO}\s+{_MEETS}\s+(?:this|it)\b[^.?!\n]{{0,12}}\b(?:must|should|shall|is to)\b",
        rf"\b(?:end|begin|start|finish|conclude|prefix|preface|open|close|sign|append|prepend|include|insert|add|mention|embed|put|place|print|use|give|provide|write|make|keep|format|state)\b[^.?!\n]{{0,80}}\b{_YOURS}\b",
        r"\b(?:your|the)\s+(?:\w+\s+)?(?:answers?|responses?|outputs?|summary)\s+(?:must|should|shall|has to|needs to|will)\b",
        r"\b(?:do not|don't|never|without|give no|omit|skip|leave out)\b[^.?!\n]{0,20}\b(?:cit(?:e|ing|ations?)|sources?|references?|footnotes?)\b",
        r"\b(?:then|and) stop\b|\bprint\s+['\"“\w-]+\s+(?:and|then)\b",
        rf"(?:^|[:,.!–—]\s*|\b(?:and|then|instead|please|always|simply|must|should|will|to)\s+)(?:{_SAY}\s*(?:with\b|:)|(?:say|print|output|emit|echo)\s+\S)",
        r"(?-i:\b(?:[Ss]ay|[Pp]rint|[Oo]utput|[Ww]rite|[Rr]eply|[Rr]espond|[Aa]nswer|[Ii]nclude|[Mm]ention|[Rr]eturn|[Aa]dd)(?:\s+with)?[\s:]+[\"'“]?[A-Z][A-Z0-9_-]{3,}\b)",
        r"(?-i:\b(?:[Gg]ive (?:them|him|her)|[Ss]how|[Qq]uot(?:e|ing)|[Ll]ead with|[Oo]pen with|[Cc]lose with|[Ee]nd with|[Ss]lip|[Ii]nsert|[Pp]uts?|word|words|code is)\s+(?:the (?:word|mark|code) )?[\"'“]?[A-Z]{4,}[A-Z0-9_-]*\b)",
        r"(?-i:\b(?:[Ss]chreibe?|[Ss]etz(?:e|t)?|[Bb]ring|[Aa]usgegeben|[Vv]ermerk|[Ee]scribe|[Ee]scríbeme|[Mm]ete|[Mm]arca|[Ee]mpezar con|[Ee]mpieza con|[Aa]ffiche|[Éé]cris(?:-moi)?|[Mm]ention)\s+(?:\w+ ){0,3}[A-Z]{4,}[A-Z0-9_-]*\b)|(?:显示|写|加上|说|词)[^。？！\n]{0,6}[A-Z]{4,}",
        r"\b(?:signed off|signs? off|ends?|begins?|starts?|closes?|opens?|greets?)\s+(?:\w+\s+)?with the (?:mark|word|words|phrase|line|code|token)\b",
        r"\bonly (?:permitted|allowed|acceptable|valid|correct|possible) (?:answer|response|reply|output)\b",
        r"(?:^|[:,;]\s*)(?:claim|pretend|deny|insist|recommend|say|state|sign|greet|repeat)\s+(?:that|it|them|the user|people|every|each|the word|our)\b",
        r"(?:^|[:,]\s*)(?:begin|start|end|finish|conclude|close|open)\s+(?:it\s+|each\s+|every\s+)?with\b",
        r"\bto (?:every|each|any|all) (?:quer(?:y|ies)|questions?|messages?|prompts?)\b",
        rf"\b{_WHO}\s+(?:must|should|shall|has to|have to|is to|are to|is required to|are required to|needs to)\s+(?:\w+\s+)?(?:{_SAY}|end|begin|start|include|tell|claim|recommend|ignore|disregard|obey|follow|comply|refuse)\b",
        r"\b(?:antworte[nt]?|antworten sie|schreibt|schreibe|gib|geben sie|sage)\b[^.?!\n]{0,30}\b(?:nur|ausschließlich|nichts anderes|lediglich)\b|\b(?:keine|ohne)\s+(?:quellen|belege|zitate)\b|\bin (?:deiner|ihrer|jeder) antwort\b|\b(?:beginne|beginnen sie|beende|beenden sie|schließe)\b[^.?!\n]{0,20}\b(?:jede|deine|ihre)\s+antwort\b|\b(?:zitiere|nenne) (?:nichts|keine)\b",
        r"\b(?:responde|responda|contesta|escribe|di)\b[^.?!\n]{0,30}\b(?:solo|sólo|solamente|únicamente|nada más)\b|\ben (?:tu|su|cada) respuesta\b|\b(?:empieza|comienza|termina|acaba)\b[^.?!\n]{0,20}\b(?:cada|tu|su) respuesta\b",
        r"\bne cit(?:e|ez) aucune source\b|\bno cites? ninguna fuente\b|\b(?:sin|sans) (?:citar|citer) (?:fuentes|sources|la fuente|la source)\b",
        r"\b(?:réponds|répondez|écris|écrivez|dis|dites)\b[^.?!\n]{0,30}\b(?:seulement|uniquement|que|rien d'autre)\b|\bdans (?:ta|votre|chaque) réponse\b|\b(?:commence|commencez|termine|terminez|finis)\b[^.?!\n]{0,20}\b(?:chaque|ta|votre) réponse\b",
        r"(?:只|仅|僅)(?:能|需|要|可以)?(?:回答|回复|输出|说|写|返回)|(?:在|于)(?:你的|您的|每个)?(?:回答|回复|答案)(?:中|里)|(?:回答|回复|答案)[^。？！\n]{0,6}以[^。？！\n]{1,20}(?:开头|结尾|开始|结束)",
        r"(?:だけ|のみ)(?:を|と)?(?:答え|出力|返信|書|言)|(?:回答|返信|出力)(?:に|の(?:最初|最後)に)[^。\n]{0,20}(?:含め|入れ|書)|(?:回答|返信|出力)を[^。\n]{1,20}で(?:始め|終わ|終え)",
    ),
    "made": patterns(
        rf"\b(?:texts?|words?|sentences?|answers?|repl(?:y|ies)|responses?|summar(?:y|ies)|outputs?|anything|everything|whatever)\s+(?:\w+\s+){{0,2}}(?:produced|generated|derived|drawn|made|written|composed|drawing|draws?)\s+{_FROM}\b",
        r"\b(?:what|whatever|anything|everything|all)\s+(?:that\s+)?(?:you|the (?:model|software|bots?|programs?|machines?))\s+(?:\w+\s+){0,2}(?:writes?|says?|said|written|produces?|repl(?:y|ies)|answers?|outputs?|generates?)\b",
        r"\b(?:what|whatever)\s+(?:it|they|the \w+)\s+(?:gives? back|would have (?:said|written|answered))\b|\bwhat(?:ever)? comes out of (?:this|it)\b",
        r"\b(?:texte?|auskunft|auskünfte|antwort(?:en)?)\b[^.?!\n]{0,40}\b(?:aus|zu) diese[mnrs]? (?:blatt|text|seite|abschnitt|dokument|datei)\b|\bin deinem text\b|\b(?:anfang|ende) (?:seine|ihre|deine|der|jede)[rn]? (?:auskunft|antwort)",
        r"\b(?:textos?|respuestas?|resúmen(?:es)?)\b[^.?!\n]{0,40}\b(?:de|a partir de|sobre) (?:est[ea]|el|la) (?:hoja|página|texto|documento|archivo|apartado|sección)\b|\ben (?:tu|su) texto\b|\bdecir sobre est[ea] (?:hoja|página|texto|documento|apartado|sección)\b",
        r"\b(?:textes?|réponses?|résumés?)\b[^.?!\n]{0,40}\b(?:de|à partir de|sur) (?:cette|ce|la|le) (?:fiche|page|texte|document|fichier|section)\b|\bdans (?:ton|votre) texte\b|\bdire de (?:cette|ce) (?:fiche|page|texte|document|section)\b",
        r"(?:根据|依据|关于|基于)(?:本|此|这个|该)(?:文件|文档|文|页|节)[^。？！\n]{0,8}(?:生成|回答|给出|输出|内容只)|(?:この|本)(?:文書|文章|ページ)から(?:作|生成)",
    ),
    "asker": patterns(
        r"\b(?:person|people|one|user|customer|reader|human|somebody|someone)\s+(?:(?:who|that)\s+(?:is\s+|are\s+|has\s+)?ask(?:ed|ing|s)?|asking|at the other end|(?:that |whom? )?(?:they|you|it) serves?)\b(?! (?:for|about|to)\b)|\bwhoever\s+(?:is\s+)?ask(?:s|ed|ing)\b",
        r"\b(?:der|die|den|dem) fragende[nr]?\b|\bwer (?:danach|dich|hier) fragt\b|\bohne dass[^.?!\n]{0,25}\b(?:fragende|nutzer)\w*",
        r"\b(?:la persona|a?l usuario|el usuario|quien) que (?:te )?(?:pregunta|preguntó)\b|\bla personne qui (?:pose|demande|interroge|t'interroge)\b|\bquien (?:te )?pregunt[ae]\b",
        r"\b(?:write|spell|say|print)\b[^.?!\n]{0,25}\bfor me\b|\bescríbeme\b|\b(?:écris|écrivez)-moi\b|\bschreib\w* mir\b|帮我(?:写|说)",
        r"提问(?:者|的人)|質問(?:者|した人)",
    ),
    "only": patterns(
        r"\b(?:single|only|one)\s+(?:word|thing|sentence|phrase|answer|line)\b(?:\s+(?:that\s+)?(?:you|the \w+|it|they)\b|[^.?!\n]{0,6}$)",
        r"\b(?:say|write|add|print|output|show)\s+(?:no more|nothing (?:else|more|further))\b|\band that is all\b|\band nothing (?:more|else)\b|\b(?:you|here you) (?:only )?need only\b|\bwith the (?:single|one) word\b|\bin every case\b|\bmay be (?:said|given out|told|produced)\b",
        r"\b(?:now|jetzt|ahora|maintenant) (?:just|only|nur|bloß|solo|sólo|juste|seulement)\b|\bconsists? of\b[^.?!\n]{0,25}\b(?:alone|only)\b|\b(?:escríbeme|dime) (?:solo|sólo)\b",
        r"\bsonst nichts\b|\bnichts weiter\b|\bmehr darf nicht\b|\bdas einzige wort\b|\bnur (?:noch )?(?:das|dieses) wort\b",
        r"\by nada más\b|\blo único que (?:se )?pued\w+ decir\b|\bla única palabra\b|\bno añadas nada\b",
        r"\bet rien (?:de plus|d'autre)\b|\bla seule chose à dire\b|\ble seul mot\b",
        r"只(?:允许|能|准)[^。？！\n]{0,6}(?:一个词|说|给出|回答)|只会说|不要解释|だけ(?:言|答)",
    ),
    "occasion": patterns(
        r"^before (?:answering|replying|responding)\b",
        r"\b(?:when|while|if|before|after|whenever|upon)\b[^.?!\n]{0,20}\b(?:generating|composing|producing|formulating|writing)\b[^.?!\n]{0,15}\b(?:responses?|answers?|repl(?:y|ies)|summar(?:y|ies))\b",
        rf"\b(?:when|while|if|before|after|whenever|upon)\b[^.?!\n]{{0,30}}\b(?:summari[sz]\w+|answer(?:ing|s)?|asked|read(?:ing|s)?|process(?:ing|es)?|quot(?:ing|es)|citing|translating|indexing)\b[^.?!\n]{{0,25}}\b{_THIS}\b",
        rf"\b(?:when|whenever|if|before|after|once) (?:you|it|they) (?:quote|cite|answer|summari[sz]e|read|use|retrieve|process|translate)s?\b[^.?!\n]{{0,20}}\b{_THIS}\b",
        r"\b(?:beim|bei der|wenn du|wenn sie|falls du|falls sie)\b[^.?!\n]{0,30}\b(?:zusammenfass\w*|lesen|liest|beantwort\w*|auswert\w*)\b",
        r"\b(?:al|cuando|si)\b\s+(?:resum\w+|lea\w*|respond\w+)\b|\b(?:lorsque|quand|si) (?:tu|vous)\b[^.?!\n]{0,10}\b(?:résum\w+|lis\w*|répond\w+)\b",
        r"(?:总结|概括|阅读|回答)[^。？！\n]{0,8}(?:本|此|这个|该)(?:文件|文档|文|页)[^。？！\n]{0,4}(?:时|後|后)|(?:この|本)(?:文書|文章|ファイル|ページ)を(?:要約|読|回答)[^。\n]{0,6}(?:とき|際|場合)",
    ),
    "void": patterns(
        r"\b(?:do not|don't|never) (?:summari[sz]e|quote|use|read) (?:this|the) (?:document|file|page|text)\b|\bstop reading\b|\b(?:configuration|instructions?|prompt|role) (?:is|are) (?:now )?(?:obsolete|void|cancelled|outdated)\b",
        r"\b(?:do not|don't|never) answer (?:the|this|that|any|their|further|user) (?:questions?|quer(?:y|ies)|users?)\b",
        r"\b(?:previous|prior|earlier|above|existing|all|these|your|old|former)\s+(?:\w+\s+)?(?:rules|instructions|guidelines|prompts?|orders|restrictions|directives)\b[^.?!\n]{0,30}\b(?:void|null|cancell?ed|revoked|suspended|lifted|superseded|no longer (?:apply|valid|binding)|obsolete|replaced)\b",
        r"\b(?:put|leave|set|push)\s+(?:the|this|that|their|your)\s+question\s+(?:\w+\s+){0,3}(?:mind|aside|away|alone)\b|\b(?:forget|drop|skip)\s+(?:about\s+)?(?:the|this|that|their)\s+question\b|\bquestion (?:that )?(?:you were|was) (?:given|asked)\b[^.?!\n]{0,20}\b(?:wrong|mistyped|void|a mistake|an error)\b",
        r"\b(?:everything|all|anything|what(?:ever)?) (?:that )?you (?:were|have been|are) (?:told|given|taught|instructed)\b[^.?!\n]{0,25}\b(?:is|was|were|has)\b[^.?!\n]{0,12}\b(?:test|wrong|void|over|outdated|expired|a joke)\b",
        r"\bvergiss die frage\b|\bolvida la pregunta\b|\boublie la question\b|(?:忘记|忘掉|不要管)(?:这个)?问题|把问题放在一边",
        r"\b(?:bisherigen|vorherigen|alten)\s+(?:regeln|anweisungen|vorgaben)\b[^.?!\n]{0,30}\b(?:ungültig|aufgehoben|nicht mehr)\b|(?:之前|以上|先前)的?(?:规则|指令)[^。\n]{0,6}(?:作废|无效|失效)",
    ),
    "secret": patterns(
        r"\b(?:do not|don't|never)\s+(?:tell|inform|mention|reveal|disclose|show|warn|alert)\b[^.?!\n]{0,30}\b(?:the |your |any )?(?:users?|reader|human|this (?:note|message|instruction)|these instructions)\b|\bwithout (?:telling|informing|alerting) the user\b",
        r"\b(?:sag|sagen sie|verrate|verraten sie)\b[^.?!\n]{0,30}\bnutzer\w*\b[^.?!\n]{0,20}\bnicht",
    ),
}

WEAK: Final = frozenset({"made", "asker", "only"})
"""Signs that stand in too many honest texts to make an order of each other."""

_HINTS: Final = """
    above add adds admin administrator affiche agent agents ahora ai ais alert alerting alles alone answer
    answering answers antwort antworte antworten antwortet anweisung anweisungen anything aparte asistente
    ask asked asker asking asks assistant assistants assistent assistenten assistentin attention aucune
    ausgabe ausgaben ausgegeben auskunft auskünfte ausschließlich auswertet automated automatically
    beantwortet beende befehle before begin beginne belege bist bot bots bring cada chaque chat chatbot
    chatbots chatgpt citation citations cite cites citing close code comienza commence commencez
    completion completions compliance conclude condenses configuration consignes consists constraint
    constraints contesta conversation copilot copilots copy dan decir derived describe developer di dime
    dire directive directives dis disclose display dites drawn echo einzige emit empezar empieza end eres
    escribe escríbeme everything evil exactly fiche filters finish footnote footnotes frage fragende
    fragenden fragt generated generates given gives goal gpt greet greets guideline guidelines heed
    hinweis history hoja human ia include indexing inform informing insert instrucciones instructed
    instruction instructions instruktionen instruções inteligencia intelligence intelligenz istruzioni
    jailbroken jetzt job just ki know known lead learned lediglich lesen liest limits lis lisez llm llms
    machine machines maintenant marca mark maschine memo mention message messages mete mind mission
    mistyped mode model modelo modelos models modèle mot máquina nachricht nada nenne nichts ninguna note
    nothing notice nouvelles now nuevas nur nutzer nutzern objective obsolete only open operator order
    orders output outputs override overrides palabra parsing permitted person personne point praise
    precedence pregunta preguntará preguntó previous print prior process processes processing produced
    produces programa programme programming prompt prompts purpose puts quellen question quien quiere
    quote quotes quoting rate read reader reading reads recommend reference references regeln reglas
    repeat replaces replies reply replying respond responda responde responding response responses
    respuesta restriction restrictions resuma resumes resumir return reveal rien robot role root rule
    rules règles répondez réponds réponse résumes résumez said say says schreib schreibe security seen
    serves setz setzt seulement show shows sign signed signs single slip software solamente solely solo
    sonst source sources spell sprachmodell sprachmodelle start state stop summaries summarise summarised
    summariser summarisers summarises summarising summarize summarized summarizer summarizers summarizes
    summarizing summary supersede supersedes system sólo task taught tell telling termina termine terminez
    texte textes texto textos told training translating unfiltered uniquement unrestricted user users
    verbatim vergiss vermerk void vorgaben wants warn weitergibt whatever whoever wiedergibt word words
    write writes written zitate zitiere zusammenfassen zusammenfasst zusammenfassung écris écrivez
    únicamente
"""

HINTS: Final = frozenset(_HINTS.split())
"""Words of which every sign in a script of letters has one; most sentences have none and are not looked at."""
