++ uno
select 1;
-- two
