# Writes the digest of FILE into FILE.stamp.h, for sources that embed it.
file(SHA256 ${FILE} digest)
file(WRITE ${FILE}.stamp.h "// ${digest}\n")
