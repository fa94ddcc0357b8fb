-- Keys of requests are forgotten by age. From here on entries of the journal may also say what of them was deleted.

CREATE INDEX idempotency_keys_by_time ON idempotency_keys (created_at);
