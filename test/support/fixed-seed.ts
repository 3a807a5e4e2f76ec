import fc from "fast-check";

// The same cases in every run, so that a failing test is caused by a change. FC_SEED explores others.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.FC_SEED ?? 20_261_115) });
