module tidemark

go 1.18
