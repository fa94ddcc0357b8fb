"""What a model is told that is to find a title. The scripted one knows it by these words."""

TITLE_INSTRUCTIONS = (
    "Write a title for the conversation that the user shows you: two to six words in the language of the conversation, "
    "no quotes, no full stop. Answer with the title and nothing else."
)
