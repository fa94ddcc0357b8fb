"""Posts: what waits for them, and how they begin."""

from wakeful.model.messaging.post import Post, PostKind, PostState
from wakeful.model.session import Address


def test_later_posts_wait_for_one_that_may_still_arrive() -> None:
    posts = [Post("p1", "k1", Address("slack"), PostKind.ANSWER, "hi", state=state) for state in PostState]

    assert [post.state for post in posts if post.is_open] == [PostState.WAITING, PostState.SENDING, PostState.UNKNOWN]


def test_a_new_post_was_not_tried_yet() -> None:
    post = Post("p1", "k1", Address("slack"), PostKind.ANSWER, "hi")

    assert post.is_open
    assert (post.position, post.part, post.tries, post.highest_id) == (0, 0, 0, 0)
    assert (post.is_marked, post.is_plain) == (False, False)
