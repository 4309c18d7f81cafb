-- The database of the house and its roles; docs/keeping.md says what each is for. Run as the
-- server's own user, once.
CREATE ROLE keno_owner LOGIN CREATEDB;
CREATE ROLE keno_house LOGIN;
-- How far copies of the database are behind is told only to whoever may watch the server.
GRANT pg_monitor TO keno_house;
-- Whoever archives has to see who still reads what was there before.
GRANT pg_monitor TO keno_owner;
-- Restores backups on trial, in databases of its own; of the house's it can only read.
CREATE ROLE keno_check LOGIN CREATEDB;
CREATE DATABASE keno OWNER keno_owner ENCODING 'UTF8' TEMPLATE template0;
\connect keno
ALTER DEFAULT PRIVILEGES FOR ROLE keno_owner IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO keno_house;
ALTER DEFAULT PRIVILEGES FOR ROLE keno_owner IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO keno_house;
ALTER DEFAULT PRIVILEGES FOR ROLE keno_owner IN SCHEMA public GRANT SELECT ON TABLES TO keno_check;
