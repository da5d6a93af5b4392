"""Turn a file into chunks that can be found and cited."""
