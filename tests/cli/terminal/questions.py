"""Questions of an agent, one of each kind that a person can be asked."""

from rawr.core.vocabulary.requests import (
    CommandApproval,
    Elicitation,
    FileChangeApproval,
    Option,
    PermissionsApproval,
    Question,
    UserInput,
    UserQuestion,
)

COMMAND = CommandApproval(command="rm x", cwd="/")
FORM = Elicitation(server="mcp", message="Fill in")
CHOICE = UserQuestion("c", "Colour", "Which?", options=(Option("red"), Option("green")))
OPEN = UserQuestion("o", "Name", "What name?")
BOTH = UserQuestion("b", "Size", "How big?", options=(Option("small"),), free_text=True)
QUESTIONS: tuple[Question, ...] = (
    COMMAND,
    FileChangeApproval(),
    PermissionsApproval(cwd="/", permissions="{}"),
    FORM,
    UserInput(questions=(CHOICE,)),
    UserInput(questions=(OPEN, BOTH)),
    UserInput(questions=()),
)
SECRET = UserQuestion("s", "Key", "What is the key?", secret=True)
