"""What a rule of the user's opens (C10): a verb, with the options and the operands that are listed as harmless for it.

Each table answers two questions about every word that may follow: what could it make the program run, and what could it
make it read or send, outside the agent's sandbox? A word is on a list if the answer is "nothing beyond what the verb is
for". So no list has an option that names a program, a transport, another configuration, a place outside the workspace,
or a file with secrets.
"""
