-- one
select 1;
-- two
