-- The database that the statements of cases.json speak of; NAME stands for the database.
CREATE TABLE t(id int, note text);
INSERT INTO t SELECT i, 'note ' || i FROM generate_series(1, 50) i;
CREATE TABLE wlog(note text);
CREATE SEQUENCE seq;
CREATE MATERIALIZED VIEW mv AS SELECT * FROM t;
CREATE FUNCTION sd_write() RETURNS int LANGUAGE sql SECURITY DEFINER
    AS $$ INSERT INTO public.wlog VALUES ('sd'); SELECT 1 $$;
CREATE FUNCTION op_write(int, int) RETURNS boolean LANGUAGE sql SECURITY DEFINER
    AS $$ INSERT INTO public.wlog VALUES ('op'); SELECT true $$;
CREATE FUNCTION dom_write(text) RETURNS boolean LANGUAGE sql SECURITY DEFINER
    AS $$ INSERT INTO public.wlog VALUES ('dom'); SELECT true $$;
CREATE OPERATOR === (LEFTARG = int, RIGHTARG = int, FUNCTION = op_write);
CREATE DOMAIN evil_dom AS text CHECK (dom_write(VALUE));
CREATE VIEW v_evil AS SELECT sd_write() AS x;
CREATE PROCEDURE proc_write() LANGUAGE sql SECURITY DEFINER
    AS $$ INSERT INTO public.wlog VALUES ('proc') $$;
-- Not every server has these two.
DO $$ BEGIN CREATE EXTENSION dblink; EXCEPTION WHEN OTHERS THEN NULL; END $$;
DO $$ BEGIN CREATE EXTENSION adminpack; EXCEPTION WHEN OTHERS THEN NULL; END $$;
CREATE ROLE NAME_ro LOGIN;
CREATE ROLE NAME_rw LOGIN;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
REVOKE TEMP ON DATABASE NAME FROM PUBLIC;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO NAME_ro;
GRANT ALL ON ALL TABLES IN SCHEMA public TO NAME_rw;
GRANT ALL ON SEQUENCE seq TO NAME_rw;
