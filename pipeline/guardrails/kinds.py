"""The kinds of sentences with which a document addresses the assistant instead of its readers.

A sure kind is an order by itself. A sign occurs in honest texts as well, and is an order together with a sign
of another kind: whom it addresses, what poses as a message from above, what it wants of the answer, when.
"""

from __future__ import annotations

from typing import Final

from pipeline.guardrails.policy import CONTROLS, DISCLOSURES, OVERRIDES, PERSONAS, patterns

_WHO = r"(?:(?:ais?|llms?|automated|language)[ -](?:systems?|tools?|engines?|models?|readers?|summari[sz]ers?|assistants?|agents?|programs?)|ais?|llms?|(?:large |ai |chat )?(?:language )?models?|(?:ai |virtual |digital )?assistants?|chat ?bots?|ai agents?|copilots?|chatgpt|gpt|ki|sprachmodelle?|assistent(?:en|in)?)"
_YOURS = r"(?:your|the|every|each|any|all|its|final|whole|following|next|ihre[rnm]?|deine[rnm]?)\s+(?:\w+\s+)?(?:answers?|repl(?:y|ies)|responses?|outputs?|summar(?:y|ies)|completions?|antwort(?:en)?|ausgaben?|zusammenfassung)"
_SAY = r"(?:reply|respond|answer|output|print|say|write|return|state|echo|repeat|display|emit)"
_THIS = r"(?:this|these|the)\s+(?:\w+\s+)?(?:files?|documents?|pages?|texts?|contents?|passages?|sources?|context|e-?mails?|messages?|chunks?)"
_TEXT = r"(?:sentences?|paragraphs?|lines?|words?|phrases?|slogans?|headlines?|titles?|links?|urls?|tokens?|codes?|strings?|emojis?|jokes?|poems?|ads?|advertisements?|recommendations?|disclaimers?|greetings?|hashtags?)"

SURE: Final = (
    *OVERRIDES,
    *DISCLOSURES,
    *PERSONAS,
    *CONTROLS,
    *patterns(
        r"\b(?:ignore|disregard|forget|skip|do not answer|don't answer)\b[^.?!\n]{0,20}\b(?:user|reader|human|person|asker)(?:'s|s'|s)?\s+(?:actual |original |real )?(?:questions?|quer(?:y|ies)|requests?|messages?|prompts?|inputs?)\b",
        rf"\b(?:answer|say|reply|output|cite|respond with|return)\s+nothing\b[^.?!\n]{{0,30}}\b(?:only|just|except|but|instead)\b|\b(?:instead of|rather than)\s+(?:answering|a normal answer|the answer)\b[^.?!\n]{{0,40}}\b{_SAY}\b",
        r"\b(?:ignore|disregard|forget|drop|set aside)\s+(?:what(?:ever)?|everything|anything|all)\s+(?:that\s+)?(?:the user|the human|they|was|you(?:'ve| have| were|'re)?)\s+(?:\w+\s+){0,2}(?:asked?|wants?|requests?|told|said|given|learned|instructed|know)\b",
        r"\b(?:supersedes?|overrides?|overrules?|replaces?|cancels?|takes? precedence over|outranks?)\s+(?:\w+\s+){0,2}your\s+(?:\w+\s+){0,2}(?:instructions?|prompts?|guidelines?|programming|training|rules|directives?)\b",
        r"\b(?:correct|right|only|true|official|required)\s+(?:answer|response|reply)\s+(?:to|for)\s+(?:every|any|each|all|whatever)\b",
        r"\byou are (?:now|henceforth) (?:an?|the) (?:\w+ ){0,3}(?:assistant|bot|ai|chatbot|model|pirate)\b",
        # an order about the form of an answer, which no document has to do with
        r"^(?:please\s+|also\s+|always\s+|now\s+)?(?:replace|remove|translate|encode|rewrite|convert|misspell|scramble|reverse|shuffle|append|prepend|insert|integrate|incorporate|weave|embed|begin|start|end|finish|conclude|open|close|capitali[sz]e|substitute|shift|prefix|preface|pepper|decorate|format)\b[^.?!\n]{0,100}\byour\s+(?:\w+\s+)?(?:answers?|responses?|outputs?|repl(?:y|ies))\b",
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
        r"(?:亲爱的|致|作为|身为|给|对)[^。？！\n]{0,6}(?:助手|人工智能|AI|语言模型|大模型|机器人)",
        r"(?:AI|人工知能|言語モデル|アシスタント|ボット)(?:アシスタント|システム|モデル)?(?:として|へ[:：、]|への(?:指示|注意)|の(?:皆|方)|に告ぐ)",
    ),
    "posing": patterns(
        r"(?-i:(?:^|[^A-Za-z])(?:SYSTEM|ADMIN(?:ISTRATOR)?|DEVELOPER|ROOT|OPERATOR)(?: (?:PROMPT|MESSAGE|NOTE|NOTICE|OVERRIDE|INSTRUCTIONS?|UPDATE|COMMAND))?\W{0,4}:)",
        r"[\[<({#*=_-]{1,4}\s*(?:system|admin(?:istrator)?|developer|operator|security|compliance)\s+(?:prompt|message|note|notice|override|instructions?|update|command)s?\s*[\])}>#*=_:-]{1,4}",
        r"(?:^|[#*=\[>_-]\s*)(?:new|updated?|hidden|secret|additional|override|overriding|real|actual|revised|special|final)\s+(?:system\s+)?(?:instructions?|system prompts?|directives?|orders|prompts?)\b",
        r"#{2,}\s*(?:instruction|response)s?\s*:|(?:^|[.!]\s*)new configuration\s*:",
        r"(?:^|[.!?:]\s*)your\s+(?:new|real|actual|only|next|true|updated?)\s+(?:task|role|job|instructions?|goal|mission|objective|purpose)\b|(?:^|[\[(]\s*)override\s*[\])]?\s*:",
        r"(?:^|[#*=\[>_-]\s*)(?:begin|start|end)\s+(?:of\s+)?(?:the\s+)?(?:system|instructions?|prompt|documents?|context|sources?|user input)\b",
        r"^\W{0,4}(?:system|assistant|user|human|ai|developer)\s*:",
        r"(?:^|[#*\[]\s*)(?:neue|geheime|aktualisierte|zusätzliche)\s+anweisung(?:en)?\b|(?:^|[#*\[]\s*)(?:nuevas|nouvelles)\s+(?:instrucciones|instructions|consignes)\b|新(?:的)?(?:指令|指示)|新しい指示|系统(?:提示|消息)\s*[:：]|システム\s*[:：]",
    ),
    "answer": patterns(
        rf"\b{_SAY}\b[^.?!\n]{{0,25}}\b(?:only|just|exactly|nothing (?:else|but)|solely|verbatim)\b",
        rf"\b(?:only|just|nothing but|solely)\s+(?:\w+ ){{0,2}}{_SAY}\b",
        r"\b(?:answer|translate|say|write|cite|quote|reply) nothing\b",
        rf"\b(?:end|begin|start|finish|conclude|prefix|preface|open|close|sign|append|prepend|include|insert|add|mention|embed|put|place|print|use|give|provide|write|make|keep|format|state)\b[^.?!\n]{{0,80}}\b{_YOURS}\b",
        r"\b(?:your|the)\s+(?:\w+\s+)?(?:answers?|responses?|outputs?|summary)\s+(?:must|should|shall|has to|needs to|will)\b",
        r"\b(?:do not|don't|never|without|give no|omit|skip|leave out)\b[^.?!\n]{0,20}\b(?:cit(?:e|ing|ations?)|sources?|references?|footnotes?)\b",
        r"\b(?:then|and) stop\b|\bprint\s+['\"“\w-]+\s+(?:and|then)\b",
        rf"(?:^|[:,.!–—]\s*|\b(?:and|then|instead|please|always|simply|must|should|will|to)\s+)(?:{_SAY}\s*(?:with\b|:)|(?:say|print|output|emit|echo)\s+\S)",
        r"(?-i:\b(?:[Ss]ay|[Pp]rint|[Oo]utput|[Ww]rite|[Rr]eply|[Rr]espond|[Aa]nswer|[Ii]nclude|[Mm]ention|[Rr]eturn|[Aa]dd)(?:\s+with)?[\s:]+[\"'“]?[A-Z][A-Z0-9_-]{3,}\b)",
        r"\bonly (?:permitted|allowed|acceptable|valid|correct|possible) (?:answer|response|reply|output)\b",
        r"(?:^|[:,;]\s*)(?:claim|pretend|deny|insist|recommend|say|state|sign|greet|repeat)\s+(?:that|it|them|the user|people|every|each|the word|our)\b",
        r"(?:^|[:,]\s*)(?:begin|start|end|finish|conclude|close|open)\s+(?:it\s+|each\s+|every\s+)?with\b",
        r"\bto (?:every|each|any|all) (?:quer(?:y|ies)|questions?|messages?|prompts?)\b",
        rf"\b{_WHO}\s+(?:must|should|shall|has to|have to|is to|are to|is required to|are required to|needs to)\s+(?:\w+\s+)?(?:{_SAY}|end|begin|start|include|tell|claim|recommend|ignore|disregard|obey|follow|comply|refuse)\b",
        r"\b(?:antworte|antworten sie|schreibe|gib|geben sie|sage)\b[^.?!\n]{0,30}\b(?:nur|ausschließlich|nichts anderes|lediglich)\b|\b(?:keine|ohne)\s+(?:quellen|belege|zitate)\b|\bin (?:deiner|ihrer|jeder) antwort\b|\b(?:beginne|beginnen sie|beende|beenden sie|schließe)\b[^.?!\n]{0,20}\b(?:jede|deine|ihre)\s+antwort\b|\b(?:zitiere|nenne) (?:nichts|keine)\b",
        r"\b(?:responde|responda|contesta|escribe|di)\b[^.?!\n]{0,30}\b(?:solo|sólo|solamente|únicamente|nada más)\b|\ben (?:tu|su|cada) respuesta\b|\b(?:empieza|comienza|termina|acaba)\b[^.?!\n]{0,20}\b(?:cada|tu|su) respuesta\b",
        r"\b(?:réponds|répondez|écris|écrivez|dis|dites)\b[^.?!\n]{0,30}\b(?:seulement|uniquement|que|rien d'autre)\b|\bdans (?:ta|votre|chaque) réponse\b|\b(?:commence|commencez|termine|terminez|finis)\b[^.?!\n]{0,20}\b(?:chaque|ta|votre) réponse\b",
        r"(?:只|仅|僅)(?:能|需|要|可以)?(?:回答|回复|输出|说|写|返回)|(?:在|于)(?:你的|您的|每个)?(?:回答|回复|答案)(?:中|里)|(?:回答|回复|答案)[^。？！\n]{0,6}以[^。？！\n]{1,20}(?:开头|结尾|开始|结束)",
        r"(?:だけ|のみ)(?:を|と)?(?:答え|出力|返信|書|言)|(?:回答|返信|出力)(?:に|の(?:最初|最後)に)[^。\n]{0,20}(?:含め|入れ|書)|(?:回答|返信|出力)を[^。\n]{1,20}で(?:始め|終わ|終え)",
    ),
    "occasion": patterns(
        r"^before (?:answering|replying|responding)\b",
        r"\b(?:when|while|if|before|after|whenever|upon)\b[^.?!\n]{0,20}\b(?:generating|composing|producing|formulating|writing)\b[^.?!\n]{0,15}\b(?:responses?|answers?|repl(?:y|ies)|summar(?:y|ies))\b",
        rf"\b(?:when|while|if|before|after|whenever|upon)\b[^.?!\n]{{0,30}}\b(?:summari[sz]\w+|answer(?:ing|s)?|asked|read(?:ing|s)?|process(?:ing|es)?|quot(?:ing|es)|citing|translating|indexing)\b[^.?!\n]{{0,25}}\b{_THIS}\b",
        r"\b(?:beim|bei der|wenn du|wenn sie|falls du|falls sie)\b[^.?!\n]{0,30}\b(?:zusammenfass\w*|lesen|liest|beantwort\w*|auswert\w*)\b",
        r"\b(?:al|cuando|si)\b\s+(?:resum\w+|lea\w*|respond\w+)\b|\b(?:lorsque|quand|si) (?:tu|vous)\b[^.?!\n]{0,10}\b(?:résum\w+|lis\w*|répond\w+)\b",
        r"(?:总结|概括|阅读|回答)[^。？！\n]{0,8}(?:本|此|这个|该)(?:文件|文档|文|页)[^。？！\n]{0,4}(?:时|後|后)|(?:この|本)(?:文書|文章|ファイル|ページ)を(?:要約|読|回答)[^。\n]{0,6}(?:とき|際|場合)",
    ),
    "void": patterns(
        r"\b(?:do not|don't|never) (?:summari[sz]e|quote|use|read) (?:this|the) (?:document|file|page|text)\b|\bstop reading\b|\b(?:configuration|instructions?|prompt|role) (?:is|are) (?:now )?(?:obsolete|void|cancelled|outdated)\b",
        r"\b(?:do not|don't|never) answer (?:the|this|that|any|their|further|user) (?:questions?|quer(?:y|ies)|users?)\b",
        r"\b(?:previous|prior|earlier|above|existing|all|these|your|old|former)\s+(?:\w+\s+)?(?:rules|instructions|guidelines|prompts?|orders|restrictions|directives)\b[^.?!\n]{0,30}\b(?:void|null|cancell?ed|revoked|suspended|lifted|superseded|no longer (?:apply|valid|binding)|obsolete|replaced)\b",
        r"\b(?:bisherigen|vorherigen|alten)\s+(?:regeln|anweisungen|vorgaben)\b[^.?!\n]{0,30}\b(?:ungültig|aufgehoben|nicht mehr)\b|(?:之前|以上|先前)的?(?:规则|指令)[^。\n]{0,6}(?:作废|无效|失效)",
    ),
    "secret": patterns(
        r"\b(?:do not|don't|never)\s+(?:tell|inform|mention|reveal|disclose|show|warn|alert)\b[^.?!\n]{0,30}\b(?:the |your |any )?(?:users?|reader|human|this (?:note|message|instruction)|these instructions)\b|\bwithout (?:telling|informing|alerting) the user\b",
        r"\b(?:sag|sagen sie|verrate|verraten sie)\b[^.?!\n]{0,30}\bnutzer\w*\b[^.?!\n]{0,20}\bnicht",
    ),
}

_HINTS: Final = """
    above add admin administrator agent agents ai ais alert alerting alles answer answering answers antwort
    antworte antworten anweisung anweisungen anything asistente asked asks assistant assistants assistent
    assistenten assistentin ausgabe ausgaben ausschließlich automated automatically beende befehle before
    begin beginne belege bot bots cada chaque chat chatbot chatbots chatgpt citation citations cite cites
    citing close comienza commence commencez completion completions compliance conclude configuration
    consignes constraint constraints contesta conversation copilot copilots dan developer di directive
    directives dis disclose display dites echo emit empieza end escribe evil exactly filters finish footnote
    footnotes given goal gpt guideline guidelines hinweis history human ia include indexing inform informing
    instrucciones instruction instructions instruktionen instruções inteligencia intelligence intelligenz
    istruzioni jailbroken job just ki know known learned lediglich lesen liest limits lis lisez llm llms
    machine mention message messages mission mode model modelo models modèle nachricht nada nenne nothing
    nouvelles nuevas nur nutzer nutzern objective obsolete only open operator order orders output outputs
    override overrides parsing permitted person precedence previous print prior process processes processing
    programming prompt prompts purpose quellen quotes quoting read reader reading reads reference references
    regeln reglas repeat replaces replies reply replying respond responda responde responding response
    responses respuesta restriction restrictions resuma resumes resumir return reveal rien role root rule
    rules règles répondez réponds réponse résumes résumez said say says security seulement show software
    solamente solely solo source sources sprachmodell sprachmodelle start state stop summaries summarise
    summarised summariser summarisers summarises summarising summarize summarized summarizer summarizers
    summarizes summarizing summary supersede supersedes system sólo task tell telling termina termine
    terminez told training translating unfiltered uniquement unrestricted user users verbatim void vorgaben
    wants warn whatever whoever write zitate zitiere zusammenfassen zusammenfasst zusammenfassung écris
    écrivez únicamente
"""

HINTS: Final = frozenset(_HINTS.split())
"""Words of which every sign in a script of letters has one; most sentences have none and are not looked at."""
