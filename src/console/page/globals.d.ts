/** The messages' types reach an error class that limits stack traces, as all engines of V8 can. */
interface ErrorConstructor {
  stackTraceLimit: number;
}
