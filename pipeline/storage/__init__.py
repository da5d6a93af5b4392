"""Keep documents, chunks, conversations and jobs."""

from pipeline.storage.deferred import REST_CLIENT, defer

# here, because every module that imports LanceDB is imported after this
defer(REST_CLIENT)
