-- How much an agent may do without asking; empty: as the setting says.
ALTER TABLE sessions ADD COLUMN mode TEXT NOT NULL DEFAULT '';

-- What was allowed for a folder in a chat on a messaging platform holds for that chat only.
ALTER TABLE approvals ADD COLUMN chat_key TEXT NOT NULL DEFAULT '';
ALTER TABLE grants ADD COLUMN chat_key TEXT NOT NULL DEFAULT '';
ALTER TABLE grants DROP CONSTRAINT grants_owner_kind_session_id_folder_key;
ALTER TABLE grants ADD UNIQUE (owner, kind, session_id, folder, chat_key);
