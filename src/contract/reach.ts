/**
 * Where the tools of a room reach besides its workspace, file by file: what lists, searches or runs stays in it. Absolute
 * directories, with all in them; secrets, system directories and Toolcrib's own data stay refused.
 */
export interface Reach {
  /** Files may be read there. */
  readonly read?: readonly string[];
  /** Files may be read and written there, as in the workspace. */
  readonly write?: readonly string[];
  /** The same, but a person is asked before each writing, in modes that ask. */
  readonly ask?: readonly string[];
  /** Files and directories that no tool reads or writes: the data of the program that the tools serve. */
  readonly except?: readonly string[];
}
