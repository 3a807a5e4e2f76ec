-- Roles with the least privileges for fleets in PostgreSQL. Run this file as the owner of the database, after the first
-- `toolcrib fleet submit` has created the tables, and again after each update of Toolcrib:
--
--   psql postgres://owner@host/fleets -f fleet-roles.sql
--   CREATE USER ci PASSWORD '…' IN ROLE toolcrib_submitter;
--   CREATE USER box PASSWORD '…' IN ROLE toolcrib_worker;
--
-- toolcrib_submitter submits, cancels and retries runs, and reads everything. It cannot write results.
-- toolcrib_worker works on runs. It cannot add or delete runs, change their specs, or change the settings of a fleet.
-- Both may change the queue in the schema bullmq: it contains only ids, and a lost one is queued again.

DO $$ BEGIN CREATE ROLE toolcrib_submitter NOLOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
DO $$ BEGIN CREATE ROLE toolcrib_worker NOLOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;

-- BullMQ would create it for the first job, which needs the right to create.
DO $$ BEGIN EXECUTE format('CREATE SEQUENCE IF NOT EXISTS bullmq.%I', bullmq.job_id_seq_name('toolcrib-fleet')); END $$;

GRANT USAGE ON SCHEMA toolcrib_fleet, bullmq TO toolcrib_submitter, toolcrib_worker;
GRANT SELECT ON ALL TABLES IN SCHEMA toolcrib_fleet TO toolcrib_submitter, toolcrib_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA bullmq TO toolcrib_submitter, toolcrib_worker;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA bullmq TO toolcrib_submitter, toolcrib_worker;

SET search_path = toolcrib_fleet;

GRANT INSERT ON fleets, runs TO toolcrib_submitter;
GRANT UPDATE (settings, spent) ON fleets TO toolcrib_submitter;
GRANT UPDATE (state, deliveries, worker, machine, session, not_before, parked_since, is_cancelled, started_at, ended_at,
  reason, outcome, result) ON runs TO toolcrib_submitter;
GRANT DELETE ON requests TO toolcrib_submitter;
GRANT INSERT, DELETE ON superseded TO toolcrib_submitter;

GRANT UPDATE (spent) ON fleets TO toolcrib_worker;
GRANT UPDATE (state, delivery, deliveries, worker, machine, session, claimed_at, not_before, parked_since, started_at,
  ended_at, reason, outcome, result) ON runs TO toolcrib_worker;
GRANT INSERT, UPDATE, DELETE ON workers, requests, lanes TO toolcrib_worker;

-- Cancelling and retrying change the columns of the result, so its values are checked too.
ALTER TABLE runs ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS read_runs ON runs;
DROP POLICY IF EXISTS submit_runs ON runs;
DROP POLICY IF EXISTS steer_runs ON runs;
DROP POLICY IF EXISTS work_on_runs ON runs;
CREATE POLICY read_runs ON runs FOR SELECT TO toolcrib_submitter, toolcrib_worker USING (true);
CREATE POLICY submit_runs ON runs FOR INSERT TO toolcrib_submitter
  WITH CHECK (state = 'waiting' AND outcome IS NULL AND result IS NULL);
CREATE POLICY steer_runs ON runs FOR UPDATE TO toolcrib_submitter USING (true)
  WITH CHECK (result IS NULL AND (outcome IS NULL OR outcome = 'cancelled'));
CREATE POLICY work_on_runs ON runs FOR UPDATE TO toolcrib_worker USING (true) WITH CHECK (true);
