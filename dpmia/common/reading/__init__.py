"""The one way to open a file.

What a file is (no folder, no pipe), how large it is and becomes, and whether it is damaged is checked here and nowhere
else, and whatever a library says of a damaged file becomes one message with the file's name and what to do. No other
module opens a compressed file, an archive, an `.npz` or a table by itself.
"""
