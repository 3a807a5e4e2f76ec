/** What came off the wire: whoever reads it is who checks it. */
// biome-ignore lint/suspicious/noExplicitAny: any JSON
export type Json = any;
