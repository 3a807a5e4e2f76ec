/** One mount of /proc/PID/mountinfo: "36 35 98:0 /root /point rw,nosuid shared:1 - ext3 /dev/root rw". */
export interface MountTableEntry {
  /** "major:minor". */
  readonly device: string;
  /** The directory of the file system that is mounted. */
  readonly root: string;
  readonly point: string;
  readonly options: readonly string[];
  readonly type: string;
  /** The options of the file system, not of this mount. */
  readonly fileSystemOptions: readonly string[];
}

export function readMountTable(text: string): readonly MountTableEntry[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [mount = "", fileSystem = ""] = line.split(" - ");
      const [, , device = "", root = "", point = "", options = ""] = mount.split(" ");
      const [type = "", , fileSystemOptions = ""] = fileSystem.split(" ");
      return {
        device,
        root: unescaped(root),
        point: unescaped(point),
        options: options.split(","),
        type,
        fileSystemOptions: fileSystemOptions.split(","),
      };
    });
}

/** The kernel writes spaces and similar characters as octal numbers. */
function unescaped(field: string): string {
  if (!field.includes("\\")) return field;
  return field.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)));
}
