// Functions without a body need a file of this kind beside them.
