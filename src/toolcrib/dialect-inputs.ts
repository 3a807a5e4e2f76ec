// Written by scripts/dialect-inputs.ts.

/** The canonical tool and the input of every tool, by dialect and name. */
export interface DialectInputs {
  readonly toolcrib: {
    /** Read text files by lines, or view images. To search use search_grep; for directories use file_list. */
    readonly file_read: {
      readonly tool: "file.read";
      readonly input: {
        /** Path or out_... handle. */
        readonly path?: string | undefined;
        /** Instead: up to 50 paths or patterns ("src/**\/*.ts"). */
        readonly paths?: readonly string[] | undefined;
        /** First line, from 1. -50 reads the last 50. */
        readonly offset?: number | undefined;
        /** Number of lines. Default 2000. */
        readonly limit?: number | undefined;
        /** Prefix lines with `N | `. Default true. */
        readonly line_numbers?: boolean | undefined;
        /** Prefix lines with anchors for edit_anchored: `N:hash|`. */
        readonly anchors?: boolean | undefined;
      };
    };
    /** Create a file, or replace its whole content. To change a part use edit_replace. */
    readonly file_write: {
      readonly tool: "file.write";
      readonly input: {
        readonly path: string;
        /** The whole content. */
        readonly content: string;
        /** Default replace. */
        readonly if_exists?: "replace" | "refuse" | undefined;
        /** Default utf-8. */
        readonly encoding?: "utf-8" | "base64" | undefined;
      };
    };
    /** List a directory as a tree with sizes. Skips hidden and ignored files. To find files by name use search_glob. */
    readonly file_list: {
      readonly tool: "file.list";
      readonly input: {
        /** Default: the workspace. */
        readonly path?: string | undefined;
        /** Default 2. */
        readonly depth?: number | undefined;
        /** Default 1000. */
        readonly limit?: number | undefined;
        /** Include dotfiles. */
        readonly hidden?: boolean | undefined;
        /** Include ignored files. */
        readonly no_ignore?: boolean | undefined;
      };
    };
    /** Delete a file or link, or a directory with `recursive`. */
    readonly file_delete: {
      readonly tool: "file.delete";
      readonly input: {
        readonly path: string;
        readonly recursive?: boolean | undefined;
      };
    };
    /** Move or rename a file, link or directory. */
    readonly file_move: {
      readonly tool: "file.move";
      readonly input: {
        readonly from: string;
        /** The full new path. */
        readonly to: string;
        /** Overwrite an existing file. */
        readonly replace?: boolean | undefined;
      };
    };
    /** Replace text in a file. `find` must occur exactly once, unless `all` or `expect_count` is given; differences in indentation and quotes are tolerated. For several files use edit_patch. */
    readonly edit_replace: {
      readonly tool: "edit.replace";
      readonly input: {
        readonly path: string;
        /** Exact text in the file, without line numbers; must be unique. Empty only for an empty or new file. */
        readonly find?: string | undefined;
        readonly replace?: string | undefined;
        /** Replace every occurrence. */
        readonly all?: boolean | undefined;
        /** Replace all; there must be exactly this many. */
        readonly expect_count?: number | undefined;
        /** Instead: several edits, all or nothing. */
        readonly edits?:
          | readonly {
              readonly find: string;
              readonly replace: string;
              readonly all?: boolean | undefined;
              readonly expect_count?: number | undefined;
            }[]
          | undefined;
        /** SHA-256 of the file, or its first digits; refuse other content. */
        readonly expected_hash?: string | undefined;
      };
    };
    /** Change one or more files with one patch, all or nothing: `*** Begin Patch`, then per file `*** Update File: path` (optionally `*** Move to: path`), `*** Add File: path` or `*** Delete File: path`, then `*** End Patch`. An update has hunks: `@@`, then lines that start with a space (about 3 lines of context), - or +. A new file has only + lines. */
    readonly edit_patch: {
      readonly tool: "edit.patch";
      readonly input: {
        readonly patch: string;
      };
    };
    /** Apply a unified diff to one or more files, all or nothing. Line numbers are only hints. */
    readonly edit_diff: {
      readonly tool: "edit.diff";
      readonly input: {
        readonly diff: string;
      };
    };
    /** Show what an edit would change without changing it. Takes the fields of edit_replace, or `patch` (edit_patch), or `diff` (edit_diff). */
    readonly edit_preview: {
      readonly tool: "edit.preview";
      readonly input: {
        readonly path?: string | undefined;
        /** Exact text in the file, without line numbers; must be unique. Empty only for an empty or new file. */
        readonly find?: string | undefined;
        readonly replace?: string | undefined;
        /** Replace every occurrence. */
        readonly all?: boolean | undefined;
        readonly patch?: string | undefined;
        readonly diff?: string | undefined;
      };
    };
    /** Replace, delete or insert whole lines, named by the anchors that file_read shows with `anchors: true`. All edits refer to the file as it was read; all or nothing. A stale anchor is refused with the current lines. */
    readonly edit_anchored: {
      readonly tool: "edit.anchored";
      readonly input: {
        readonly path: string;
        readonly edits: readonly {
          readonly op: "replace" | "delete" | "insert_before" | "insert_after";
          /** Anchor of the first line: 12:k3f9. */
          readonly from: string;
          /** Anchor of the last line. Default: from. */
          readonly to?: string | undefined;
          /** New lines, without anchors. */
          readonly text?: string | undefined;
        }[];
        /** SHA-256 of the file, or its first digits; refuse other content. */
        readonly expected_hash?: string | undefined;
      };
    };
    /** Edit at a location given by line numbers, symbol or description; refuses if it is ambiguous. If you can quote the text, use edit_replace. */
    readonly edit_smart: {
      readonly tool: "edit.smart";
      readonly input: {
        readonly path: string;
        /** Text in the file, "lines 10-20", "fn run", or "the function that checks tokens". */
        readonly location: string;
        readonly operation: "replace" | "insert_before" | "insert_after" | "delete";
        readonly content?: string | undefined;
        /** Only show it. */
        readonly preview?: boolean | undefined;
      };
    };
    /** Search file contents by regex (ripgrep syntax). Skips ignored, hidden and binary files. For file names use search_glob. */
    readonly search_grep: {
      readonly tool: "search.grep";
      readonly input: {
        readonly pattern: string;
        /** File, directory or out_... handle. Default: the workspace. */
        readonly path?: string | undefined;
        /** Treat the pattern as plain text. */
        readonly literal?: boolean | undefined;
        readonly ignore_case?: boolean | undefined;
        /** Match across lines. */
        readonly multiline?: boolean | undefined;
        /** Lines around each match. */
        readonly context?: number | undefined;
        /** "*.ts", "src/**"; "!*.test.ts" excludes. */
        readonly glob?: string | readonly string[] | undefined;
        /** "ts", "py", "rust". */
        readonly type?: string | undefined;
        /** Default content. */
        readonly mode?: "content" | "files" | "count" | undefined;
        /** Default 100. */
        readonly limit?: number | undefined;
        /** Include dotfiles. */
        readonly hidden?: boolean | undefined;
        /** Include ignored files. */
        readonly no_ignore?: boolean | undefined;
      };
    };
    /** Find files by name, newest first: "*.ts" at any depth, "src/**\/*.test.ts". Skips hidden and ignored files. For text in files use search_grep. */
    readonly search_glob: {
      readonly tool: "search.glob";
      readonly input: {
        /** * ? [a-z] {a,b} ** */
        readonly pattern: string;
        /** Default: the workspace. */
        readonly path?: string | undefined;
        /** Default 500. */
        readonly limit?: number | undefined;
        /** Include dotfiles. */
        readonly hidden?: boolean | undefined;
        /** Include ignored files. */
        readonly no_ignore?: boolean | undefined;
      };
    };
    /** List the symbols of a file (functions, classes, headings, keys) with lines and signatures, or the top level of every file in a folder. Read one with code_read_symbol. */
    readonly code_symbols: {
      readonly tool: "code.symbols";
      readonly input: {
        /** Default: the workspace. */
        readonly path?: string | undefined;
        /** "function", "class" ... */
        readonly kind?: string | undefined;
        /** Substring of the name. */
        readonly name?: string | undefined;
        /** Number of symbols to skip. */
        readonly offset?: number | undefined;
        /** Default 500. */
        readonly limit?: number | undefined;
      };
    };
    /** Read a whole function, class or other block by name. Returns its code and hash. List names with code_symbols. */
    readonly code_read_symbol: {
      readonly tool: "code.read_symbol";
      readonly input: {
        /** Name, or qualified name: "Foo.bar". */
        readonly name?: string | undefined;
        /** Needed when several files have the name. */
        readonly path?: string | undefined;
        /** "function", "class", "impl", "key" ... */
        readonly kind?: string | undefined;
        /** Enclosing block: "impl Agent". */
        readonly module_path?: string | undefined;
        /** A nearby line number. */
        readonly line_hint?: number | undefined;
        /** Instead: several names. */
        readonly names?: readonly string[] | undefined;
        /** Every block with that name. */
        readonly all?: boolean | undefined;
      };
    };
    /** Replace a whole function, class, key or other block by name. Adjusts indentation. The file must still parse. For a few lines use edit_replace. */
    readonly code_replace_block: {
      readonly tool: "code.replace_block";
      readonly input: {
        readonly path: string;
        /** "function", "class", "impl", "key" ... */
        readonly kind?: string | undefined;
        /** Name, or qualified name: "Foo.bar". */
        readonly name: string;
        /** Enclosing block: "impl Agent". */
        readonly module_path?: string | undefined;
        /** A nearby line number. */
        readonly line_hint?: number | undefined;
        /** The whole new block. Attributes and doc comments above the old one stay unless it has its own. */
        readonly new_block: string;
        /** Hash from code_read_symbol; refuse another block. */
        readonly expected_old_hash?: string | undefined;
        readonly run_formatter?: boolean | undefined;
        /** Run the project's checker; restores the file if it fails. */
        readonly run_check?: boolean | undefined;
      };
    };
    /** Insert code before, after or inside a named block. Adjusts indentation. The file must still parse. */
    readonly code_insert_block: {
      readonly tool: "code.insert_block";
      readonly input: {
        readonly path: string;
        /** "function", "class", "impl", "key" ... */
        readonly kind?: string | undefined;
        /** Name, or qualified name: "Foo.bar". */
        readonly name: string;
        /** Enclosing block: "impl Agent". */
        readonly module_path?: string | undefined;
        /** A nearby line number. */
        readonly line_hint?: number | undefined;
        /** Default after. */
        readonly position?: "before" | "after" | "inside_start" | "inside_end" | undefined;
        readonly snippet: string;
        /** Hash from code_read_symbol; refuse another block. */
        readonly expected_old_hash?: string | undefined;
        readonly run_formatter?: boolean | undefined;
        /** Run the project's checker; restores the file if it fails. */
        readonly run_check?: boolean | undefined;
      };
    };
    /** Delete a whole function, class, key or other block by name, with its attributes and doc comments. The file must still parse. */
    readonly code_delete_block: {
      readonly tool: "code.delete_block";
      readonly input: {
        readonly path: string;
        /** "function", "class", "impl", "key" ... */
        readonly kind?: string | undefined;
        /** Name, or qualified name: "Foo.bar". */
        readonly name: string;
        /** Enclosing block: "impl Agent". */
        readonly module_path?: string | undefined;
        /** A nearby line number. */
        readonly line_hint?: number | undefined;
        /** Hash from code_read_symbol; refuse another block. */
        readonly expected_old_hash?: string | undefined;
        readonly run_formatter?: boolean | undefined;
        /** Run the project's checker; restores the file if it fails. */
        readonly run_check?: boolean | undefined;
      };
    };
    /** Check the syntax of a file. Does not check types. */
    readonly code_validate: {
      readonly tool: "code.validate";
      readonly input: {
        readonly path: string;
      };
    };
    /** Rename a symbol in all files if a language server runs, else in one file, respecting scopes. Then lists other files with the name. */
    readonly code_rename: {
      readonly tool: "code.rename";
      readonly input: {
        readonly path: string;
        readonly name: string;
        readonly new_name: string;
        /** A line where it occurs. */
        readonly line?: number | undefined;
        /** "function", "class" ... */
        readonly kind?: string | undefined;
        /** Other files that it changes, when an answer asks for them. */
        readonly files?: readonly string[] | undefined;
        readonly run_formatter?: boolean | undefined;
        /** Run the project's checker; restores the file if it fails. */
        readonly run_check?: boolean | undefined;
      };
    };
    /** Find where a name is defined and used in code, by types if a language server runs. For any other text use search_grep. */
    readonly code_references: {
      readonly tool: "code.references";
      readonly input: {
        readonly name: string;
        readonly path?: string | undefined;
        /** A line of the file `path` with the symbol that is meant. */
        readonly line?: number | undefined;
        /** Default both. */
        readonly role?: "definition" | "reference" | undefined;
        /** Default 100. */
        readonly limit?: number | undefined;
        /** Where to continue, from the previous result. */
        readonly from?: string | undefined;
      };
    };
    /** Find where a symbol is defined, by types, with the language server of the project. Also its type or implementations. */
    readonly code_definition: {
      readonly tool: "code.definition";
      readonly input: {
        /** A file where the symbol occurs. */
        readonly path: string;
        readonly name: string;
        /** A line where it occurs. Default: the first. */
        readonly line?: number | undefined;
        /** Default definition. */
        readonly of?: "definition" | "type" | "implementation" | undefined;
      };
    };
    /** Show the type and documentation of a symbol, with the language server of the project. */
    readonly code_hover: {
      readonly tool: "code.hover";
      readonly input: {
        /** A file where the symbol occurs. */
        readonly path: string;
        readonly name: string;
        /** A line where it occurs. Default: the first. */
        readonly line?: number | undefined;
      };
    };
    /** List type errors and warnings of a file or folder, with the language server of the project. Faster than a build. */
    readonly code_diagnostics: {
      readonly tool: "code.diagnostics";
      readonly input: {
        /** A file or folder. Default: the workspace. */
        readonly path?: string | undefined;
        /** The least severe. Default warning. */
        readonly severity?: "error" | "warning" | undefined;
        /** Default 100. */
        readonly limit?: number | undefined;
        /** Where to continue, from the previous result. */
        readonly from?: string | undefined;
      };
    };
    /** Search code by words or name. Returns the best matches first. For exact text use search_grep. */
    readonly code_search: {
      readonly tool: "code.search";
      readonly input: {
        /** A question, names, "exact text" or /regex/. */
        readonly query: string;
        /** function, class, heading ... */
        readonly kind?: string | undefined;
        /** "rust", "ts". */
        readonly language?: string | undefined;
        /** Folder, file or "src/**\/*.ts". */
        readonly path?: string | undefined;
        /** Default 10. */
        readonly limit?: number | undefined;
      };
    };
    /** Show an overview of the project: the files and symbols used most. For one file use code_symbols. */
    readonly code_map: {
      readonly tool: "code.map";
      readonly input: {
        readonly path?: string | undefined;
        /** Maximum output tokens. Default 1500. */
        readonly tokens?: number | undefined;
        /** "rust", "ts". */
        readonly language?: string | undefined;
      };
    };
    /** Read PDF, Word, Excel, PowerPoint, OpenDocument, EPUB, RTF, CSV, HTML, notebooks and images, or list an archive. For text and code use file_read. */
    readonly document_read: {
      readonly tool: "document.read";
      readonly input: {
        /** Path or out_... handle. */
        readonly path: string;
        /** Read only "page 3", "pages 2-5", "Sheet1!A1:D20", "slide 2" or "entry a/b.txt". */
        readonly part?: string | undefined;
        /** Default 40000. */
        readonly max_chars?: number | undefined;
        /** Include images of the part. */
        readonly images?: boolean | undefined;
      };
    };
    /** Run a bash command in the workspace and return its output and exit code. It has no standard input; for servers use process_start. A `session` keeps its directory and variables between calls. */
    readonly shell_run: {
      readonly tool: "shell.run";
      readonly input: {
        /** npm test 2>&1 | tail -40 */
        readonly command: string;
        /** Default 120000. */
        readonly timeout_ms?: number | undefined;
        readonly cwd?: string | undefined;
        readonly env?: { readonly [key: string]: string } | undefined;
        /** Keep it running, like process_start. */
        readonly background?: boolean | undefined;
        /** Name of a persistent shell. */
        readonly session?: string | undefined;
      };
    };
    /** Start a server, watcher or REPL that keeps running; `ready` waits until it is up. Then use process_output, process_input and process_stop. */
    readonly process_start: {
      readonly tool: "process.start";
      readonly input: {
        /** npm run dev */
        readonly command: string;
        /** Name for later calls: "web". */
        readonly name?: string | undefined;
        readonly cwd?: string | undefined;
        readonly env?: { readonly [key: string]: string } | undefined;
        /** Run it in a terminal. */
        readonly terminal?: boolean | undefined;
        /** Wait until all of these hold. */
        readonly ready?:
          | {
              readonly port?: number | undefined;
              /** Regex that an output line matches. */
              readonly line?: string | undefined;
              /** URL that answers GET. */
              readonly url?: string | undefined;
            }
          | undefined;
        /** Default 60000. */
        readonly ready_timeout_ms?: number | undefined;
      };
    };
    /** List the processes and shells of this session. */
    readonly process_list: {
      readonly tool: "process.list";
      readonly input: { readonly [key: string]: never };
    };
    /** Read the output of a process. Pass `cursor` from the previous result to get only newer output. */
    readonly process_output: {
      readonly tool: "process.output";
      readonly input: {
        readonly name: string;
        /** Cursor, or "last" for output not shown yet. */
        readonly cursor?: number | "last" | undefined;
        /** Default both. */
        readonly stream?: "stdout" | "stderr" | undefined;
      };
    };
    /** Send input to a process and return its output. End lines with \n; \u0003 is Ctrl-C in a terminal. */
    readonly process_input: {
      readonly tool: "process.input";
      readonly input: {
        readonly name: string;
        /** Text to type: yes\n */
        readonly text: string;
        /** Close its input afterwards. */
        readonly end?: boolean | undefined;
      };
    };
    /** Wait until a process exits, is ready, or prints output. */
    readonly process_wait: {
      readonly tool: "process.wait";
      readonly input: {
        readonly name: string;
        /** Default exit, or output with `line`. */
        readonly until?: "exit" | "ready" | "output" | undefined;
        /** Regex of an output line: [0-9]+ passed */
        readonly line?: string | undefined;
        /** Default 60000. */
        readonly timeout_ms?: number | undefined;
      };
    };
    /** Stop a process or shell and everything it started. */
    readonly process_stop: {
      readonly tool: "process.stop";
      readonly input: {
        readonly name: string;
      };
    };
    /** Show branch, upstream, staged, changed and untracked files. For the changes use git_diff. */
    readonly git_status: {
      readonly tool: "git.status";
      readonly input: {
        readonly path?: string | undefined;
      };
    };
    /** Show changes as a diff: of the working tree, `staged`, or against a `revision`. For untracked files use git_status. */
    readonly git_diff: {
      readonly tool: "git.diff";
      readonly input: {
        readonly staged?: boolean | undefined;
        /** Branch, tag, commit, or main..topic. */
        readonly revision?: string | undefined;
        readonly paths?: readonly string[] | undefined;
        /** Only names and line counts. */
        readonly stat?: boolean | undefined;
        /** Lines of context. Default 3. */
        readonly context?: number | undefined;
      };
    };
    /** List commits, newest first. Show one with git_show. */
    readonly git_log: {
      readonly tool: "git.log";
      readonly input: {
        readonly path?: string | undefined;
        /** Default 20. */
        readonly limit?: number | undefined;
        /** "2026-03-01", "2 weeks ago". */
        readonly since?: string | undefined;
        readonly until?: string | undefined;
        readonly author?: string | undefined;
        /** Text in the message. */
        readonly grep?: string | undefined;
        /** Revision or range (main..topic). Default HEAD. */
        readonly revision?: string | undefined;
        /** Include files and line counts. */
        readonly stat?: boolean | undefined;
      };
    };
    /** Show a commit, or with `path` a file or directory at that commit. */
    readonly git_show: {
      readonly tool: "git.show";
      readonly input: {
        /** HEAD~2, v1.0, 1a2b3c4. */
        readonly revision: string;
        readonly path?: string | undefined;
        /** Only names and line counts. */
        readonly stat?: boolean | undefined;
      };
    };
    /** Show which commit last changed each line of a file: author, date and message. */
    readonly git_blame: {
      readonly tool: "git.blame";
      readonly input: {
        readonly path: string;
        /** First and last line, from 1. */
        readonly first_line?: number | undefined;
        readonly last_line?: number | undefined;
        /** Default: the working tree. */
        readonly revision?: string | undefined;
      };
    };
    /** Stage `paths` or `all` changes for the next commit, or `unstage` them. Does not change files. */
    readonly git_stage: {
      readonly tool: "git.stage";
      readonly input: {
        /** Exact paths, not patterns. */
        readonly paths?: readonly string[] | undefined;
        readonly all?: boolean | undefined;
        readonly unstage?: boolean | undefined;
      };
    };
    /** Commit what is staged (git_stage). `amend` replaces the last commit unless it is published. */
    readonly git_commit: {
      readonly tool: "git.commit";
      readonly input: {
        readonly message?: string | undefined;
        readonly amend?: boolean | undefined;
      };
    };
    /** List branches, or create, `switch` to or `delete` one. Never overwrites uncommitted changes. */
    readonly git_branch: {
      readonly tool: "git.branch";
      readonly input: {
        readonly name?: string | undefined;
        /** Start revision of a new branch. */
        readonly from?: string | undefined;
        readonly switch?: boolean | undefined;
        /** Delete it if merged. */
        readonly delete?: boolean | undefined;
        /** Delete even if it is not merged. */
        readonly force?: boolean | undefined;
      };
    };
    /** Undo file changes of earlier calls, including shell commands. Default: the latest call that changed files. Never overwrites later changes by others. */
    readonly journal_undo: {
      readonly tool: "journal.undo";
      readonly input: {
        /** Id of a call or transaction, or a range call_a..call_b. */
        readonly call?: string | undefined;
        /** Number of latest calls. */
        readonly last?: number | undefined;
        /** All calls after this checkpoint. */
        readonly checkpoint?: string | undefined;
        /** Revert the latest undo. */
        readonly redo?: boolean | undefined;
        /** Only these. */
        readonly paths?: readonly string[] | undefined;
        /** Only this hunk (journal_diff numbers them). */
        readonly hunk?: number | undefined;
        /** Merge into files that changed since. */
        readonly merge?: boolean | undefined;
        /** Skip files that changed since. */
        readonly skip_changed?: boolean | undefined;
        /** Only show it. */
        readonly dry_run?: boolean | undefined;
      };
    };
    /** Show what earlier calls, including shell commands, changed in files: a diff with numbered hunks. */
    readonly journal_diff: {
      readonly tool: "journal.diff";
      readonly input: {
        /** Id of a call or transaction, or a range call_a..call_b. */
        readonly call?: string | undefined;
        /** Number of latest calls. */
        readonly last?: number | undefined;
        /** All calls after this checkpoint. */
        readonly checkpoint?: string | undefined;
        readonly paths?: readonly string[] | undefined;
        /** Only names and line counts. */
        readonly stat?: boolean | undefined;
      };
    };
    /** Set a checkpoint that journal_undo can restore files to. */
    readonly journal_checkpoint: {
      readonly tool: "journal.checkpoint";
      readonly input: {
        readonly name?: string | undefined;
        /** List checkpoints instead. */
        readonly list?: boolean | undefined;
      };
    };
    /** Begin a transaction that groups the changes of the following calls. End it with transaction_commit or transaction_rollback. */
    readonly transaction_begin: {
      readonly tool: "transaction.begin";
      readonly input: {
        readonly name?: string | undefined;
      };
    };
    /** Run a command such as the tests; if it fails, roll back the open transaction. */
    readonly transaction_check: {
      readonly tool: "transaction.check";
      readonly input: {
        /** npm test */
        readonly command: string;
        /** Default 120000. */
        readonly timeout_ms?: number | undefined;
      };
    };
    /** Commit the open transaction. Its changes can be undone as one. */
    readonly transaction_commit: {
      readonly tool: "transaction.commit";
      readonly input: { readonly [key: string]: never };
    };
    /** Roll back the open transaction, except files that others changed since. */
    readonly transaction_rollback: {
      readonly tool: "transaction.rollback";
      readonly input: { readonly [key: string]: never };
    };
    /** Replace, insert or delete one cell of a Jupyter notebook. Read cells with document_read. */
    readonly notebook_edit: {
      readonly tool: "notebook.edit";
      readonly input: {
        readonly path: string;
        /** append and the first insert need no `cell`. */
        readonly operation: "replace" | "insert_before" | "insert_after" | "append" | "delete";
        /** Number from 1, or id. */
        readonly cell?: unknown | undefined;
        /** The cell's whole source. */
        readonly source?: string | undefined;
        readonly cell_type?: "code" | "markdown" | "raw" | undefined;
        readonly keep_outputs?: boolean | undefined;
      };
    };
    /** Create or update a plan for a multi-step task. Send the whole list each time, at most one step in progress. */
    readonly plan_update: {
      readonly tool: "plan.update";
      readonly input: {
        /** All steps in order. Omit to show the plan. */
        readonly steps?:
          | readonly {
              readonly step: string;
              readonly status: "pending" | "in_progress" | "completed" | "cancelled" | "blocked";
              readonly activity?: string | undefined;
            }[]
          | undefined;
        readonly explanation?: string | undefined;
      };
    };
    /** Evaluate an arithmetic expression. Returns the exact value (=), or 15 digits of an irrational one. */
    readonly math_calculate: {
      readonly tool: "math.calculate";
      readonly input: {
        /** + - * / % mod ^ !, functions like sqrt(x), log(x, base), round(x, digits), constants pi, e. */
        readonly expression: string;
      };
    };
    /** Get the current date, time and weekday. Default zone: UTC. */
    readonly time_now: {
      readonly tool: "time.now";
      readonly input: {
        /** "Europe/Berlin", "+02:00" or "local". */
        readonly zone?: string | undefined;
      };
    };
    /** Return the text unchanged. */
    readonly text_echo: {
      readonly tool: "text.echo";
      readonly input: {
        readonly text: string;
      };
    };
    /** Find more tools, for example for git, documents, plans, renaming or web search. */
    readonly tools_find: {
      readonly tool: "tools.find";
      readonly input: {
        /** Task: "undo an edit". */
        readonly query: string;
        /** Default 5. */
        readonly limit?: number | undefined;
      };
    };
    /** Call a tool found by tools_find that is not in your tool list. */
    readonly tools_call: {
      readonly tool: "tools.call";
      readonly input: {
        readonly name: string;
        readonly arguments?: { readonly [key: string]: unknown } | undefined;
      };
    };
    /** Run a short program that calls tools and returns only what matters: `const { text } = await tools.file.read({ path: "a.ts" }); return text.length`. A call returns { data, text }, and throws an error with code, message and hint. help("file_read") returns a signature, print() adds output. No files, network, clock or imports of its own. */
    readonly tools_script: {
      readonly tool: "tools.script";
      readonly input: {
        /** Body of an async function, JavaScript or TypeScript. */
        readonly script: string;
      };
    };
    /** Fetch a URL. Returns HTML as Markdown, and text, JSON, documents and images. To find pages use web_search. */
    readonly web_fetch: {
      readonly tool: "web.fetch";
      readonly input: {
        readonly url: string;
        /** Read only "page 3", "section 2" or "from 40001". */
        readonly part?: string | undefined;
        /** Default 40000. */
        readonly max_chars?: number | undefined;
        /** Do not convert HTML. */
        readonly raw?: boolean | undefined;
      };
    };
    /** Search the web. Returns titles, URLs and snippets. To read a page use web_fetch. */
    readonly web_search: {
      readonly tool: "web.search";
      readonly input: {
        readonly query: string;
        /** Default 10. */
        readonly limit?: number | undefined;
        /** Default 1. */
        readonly page?: number | undefined;
      };
    };
    /** Start a subagent on a task. It sees only `task`, not this conversation. Get its answer with agent_wait. */
    readonly agent_spawn: {
      readonly tool: "agent.spawn";
      readonly input: {
        /** What to do and what to answer, with all the context it needs. */
        readonly task: string;
        readonly cwd?: string | undefined;
        /** Default: the current model. */
        readonly model?: string | undefined;
        /** Maximum number of model requests. */
        readonly max_turns?: number | undefined;
      };
    };
    /** Send a message to an agent while it works, or a follow-up task after its answer. */
    readonly agent_send: {
      readonly tool: "agent.send";
      readonly input: {
        readonly agent: string;
        readonly message: string;
      };
    };
    /** Wait for the answer of an agent. */
    readonly agent_wait: {
      readonly tool: "agent.wait";
      readonly input: {
        readonly agent: string;
        /** Default 600000. */
        readonly timeout_ms?: number | undefined;
      };
    };
    /** Close an agent that is no longer needed. */
    readonly agent_close: {
      readonly tool: "agent.close";
      readonly input: {
        readonly agent: string;
      };
    };
  };
  readonly openai: {
    /** Read a text file as numbered lines, `N | text` (the numbers are not in the file), or view an image. To find something in large files use grep. */
    readonly read_file: {
      readonly tool: "file.read";
      readonly input: {
        /** Path or out_... handle. */
        readonly file_path: string;
        /** First line. Default: 1. */
        readonly offset?: number | undefined;
        /** Number of lines. Default 2000. */
        readonly limit?: number | undefined;
      };
    };
    /** Create a file, with its directories, or replace a whole file. To change parts of files use apply_patch. */
    readonly write_file: {
      readonly tool: "file.write";
      readonly input: {
        readonly file_path: string;
        /** The whole content. */
        readonly content: string;
      };
    };
    /** Run a bash command in the workspace. Returns exit code, duration, stdout and stderr. It has no input and ends with the call. */
    readonly shell: {
      readonly tool: "shell.run";
      readonly input: {
        /** npm test 2>&1 | tail -40 */
        readonly command: string;
        /** Milliseconds until it and everything it started is stopped. Default: 10000. At most 600000. */
        readonly timeout_ms?: number | undefined;
        /** Shown to the user, a few words. */
        readonly description?: string | undefined;
      };
    };
    /** Search file contents with a regular expression. Returns path:line:text. Skips ignored, hidden and binary files. To find files by name use glob. */
    readonly grep: {
      readonly tool: "search.grep";
      readonly input: {
        /** Regular expression in ripgrep syntax. */
        readonly pattern: string;
        /** File or directory. Default: the workspace. */
        readonly path?: string | undefined;
        /** Only files that match, e.g. "*.ts", "src/**". */
        readonly glob_filter?: string | undefined;
        /** Ignore case. */
        readonly case_insensitive?: boolean | undefined;
        /** Maximum number of results. Default: 100. */
        readonly max_results?: number | undefined;
      };
    };
    /** Find files by name, newest first: "*.ts" at any depth, "src/**\/*.test.ts". Skips hidden and ignored files. For text in files use grep. */
    readonly glob: {
      readonly tool: "search.glob";
      readonly input: {
        /** * ? [a-z] {a,b} ** */
        readonly pattern: string;
        /** Default: the workspace. */
        readonly path?: string | undefined;
      };
    };
    /** Change one or more files with one patch, all or nothing: `*** Begin Patch`, then per file `*** Update File: path` (optionally `*** Move to: path`), `*** Add File: path` or `*** Delete File: path`, then `*** End Patch`. An update has hunks: `@@`, then lines that start with a space (about 3 lines of context), - or +. A new file has only + lines. */
    readonly apply_patch: {
      readonly tool: "edit.patch";
      readonly input: {
        readonly patch: string;
      };
    };
    /** Start a subagent on a task. It sees only `task`, not this conversation. Get its answer with wait. */
    readonly spawn_agent: {
      readonly tool: "agent.spawn";
      readonly input: {
        /** What to do and what to answer, with all the context it needs. */
        readonly task: string;
        readonly working_dir?: string | undefined;
        /** Default: the current model. */
        readonly model?: string | undefined;
        /** Maximum number of model requests. */
        readonly max_turns?: number | undefined;
      };
    };
    /** Send a message to an agent while it works, or a follow-up task after its answer. */
    readonly send_input: {
      readonly tool: "agent.send";
      readonly input: {
        readonly agent_id: string;
        readonly message: string;
      };
    };
    /** Wait for the answer of an agent. */
    readonly wait: {
      readonly tool: "agent.wait";
      readonly input: {
        readonly agent_id: string;
      };
    };
    /** Close an agent that is no longer needed. */
    readonly close_agent: {
      readonly tool: "agent.close";
      readonly input: {
        readonly agent_id: string;
      };
    };
  };
  readonly anthropic: {
    /** Read a text file as numbered lines, `N | text` (the numbers are not in the file), or view an image. To find something in large files use grep. */
    readonly read_file: {
      readonly tool: "file.read";
      readonly input: {
        /** Path or out_... handle. */
        readonly file_path: string;
        /** First line. Default: 1. */
        readonly offset?: number | undefined;
        /** Number of lines. Default 2000. */
        readonly limit?: number | undefined;
      };
    };
    /** Create a file, with its directories, or replace a whole file. To change a part of a file use edit_file. */
    readonly write_file: {
      readonly tool: "file.write";
      readonly input: {
        readonly file_path: string;
        /** The whole content. */
        readonly content: string;
      };
    };
    /** Run a bash command in the workspace. Returns exit code, duration, stdout and stderr. It has no input and ends with the call. */
    readonly shell: {
      readonly tool: "shell.run";
      readonly input: {
        /** npm test 2>&1 | tail -40 */
        readonly command: string;
        /** Milliseconds until it and everything it started is stopped. Default: 120000. At most 600000. */
        readonly timeout_ms?: number | undefined;
        /** Shown to the user, a few words. */
        readonly description?: string | undefined;
      };
    };
    /** Search file contents with a regular expression. Returns path:line:text. Skips ignored, hidden and binary files. To find files by name use glob. */
    readonly grep: {
      readonly tool: "search.grep";
      readonly input: {
        /** Regular expression in ripgrep syntax. */
        readonly pattern: string;
        /** File or directory. Default: the workspace. */
        readonly path?: string | undefined;
        /** Only files that match, e.g. "*.ts", "src/**". */
        readonly glob_filter?: string | undefined;
        /** Ignore case. */
        readonly case_insensitive?: boolean | undefined;
        /** Maximum number of results. Default: 100. */
        readonly max_results?: number | undefined;
        /** Matching lines (default), files with matches, or counts per file. */
        readonly output_mode?: "content" | "files_with_matches" | "count" | undefined;
      };
    };
    /** Find files by name, newest first: "*.ts" at any depth, "src/**\/*.test.ts". Skips hidden and ignored files. For text in files use grep. */
    readonly glob: {
      readonly tool: "search.glob";
      readonly input: {
        /** * ? [a-z] {a,b} ** */
        readonly pattern: string;
        /** Default: the workspace. */
        readonly path?: string | undefined;
      };
    };
    /** Replace text in a file. `old_string` must occur exactly once, unless `replace_all` is set. */
    readonly edit_file: {
      readonly tool: "edit.replace";
      readonly input: {
        readonly file_path: string;
        /** Text to replace, copied from the file without line numbers, with enough context to be unique. */
        readonly old_string: string;
        readonly new_string: string;
        /** Replace every occurrence. */
        readonly replace_all?: boolean | undefined;
      };
    };
    /** Start a subagent on a task. It sees only `task`, not this conversation. Get its answer with wait. */
    readonly spawn_agent: {
      readonly tool: "agent.spawn";
      readonly input: {
        /** What to do and what to answer, with all the context it needs. */
        readonly task: string;
        readonly working_dir?: string | undefined;
        /** Default: the current model. */
        readonly model?: string | undefined;
        /** Maximum number of model requests. */
        readonly max_turns?: number | undefined;
      };
    };
    /** Send a message to an agent while it works, or a follow-up task after its answer. */
    readonly send_input: {
      readonly tool: "agent.send";
      readonly input: {
        readonly agent_id: string;
        readonly message: string;
      };
    };
    /** Wait for the answer of an agent. */
    readonly wait: {
      readonly tool: "agent.wait";
      readonly input: {
        readonly agent_id: string;
      };
    };
    /** Close an agent that is no longer needed. */
    readonly close_agent: {
      readonly tool: "agent.close";
      readonly input: {
        readonly agent_id: string;
      };
    };
  };
  readonly gemini: {
    /** Read a text file as numbered lines, `N | text` (the numbers are not in the file), or view an image. To find something in large files use grep. */
    readonly read_file: {
      readonly tool: "file.read";
      readonly input: {
        /** Path or out_... handle. */
        readonly file_path: string;
        /** First line. Default: 1. */
        readonly offset?: number | undefined;
        /** Number of lines. Default 2000. */
        readonly limit?: number | undefined;
      };
    };
    /** Create a file, with its directories, or replace a whole file. To change a part of a file use edit_file. */
    readonly write_file: {
      readonly tool: "file.write";
      readonly input: {
        readonly file_path: string;
        /** The whole content. */
        readonly content: string;
      };
    };
    /** Run a bash command in the workspace. Returns exit code, duration, stdout and stderr. It has no input and ends with the call. */
    readonly shell: {
      readonly tool: "shell.run";
      readonly input: {
        /** npm test 2>&1 | tail -40 */
        readonly command: string;
        /** Milliseconds until it and everything it started is stopped. Default: 10000. At most 600000. */
        readonly timeout_ms?: number | undefined;
        /** Shown to the user, a few words. */
        readonly description?: string | undefined;
      };
    };
    /** Search file contents with a regular expression. Returns path:line:text. Skips ignored, hidden and binary files. To find files by name use glob. */
    readonly grep: {
      readonly tool: "search.grep";
      readonly input: {
        /** Regular expression in ripgrep syntax. */
        readonly pattern: string;
        /** File or directory. Default: the workspace. */
        readonly path?: string | undefined;
        /** Only files that match, e.g. "*.ts", "src/**". */
        readonly glob_filter?: string | undefined;
        /** Ignore case. */
        readonly case_insensitive?: boolean | undefined;
        /** Maximum number of results. Default: 100. */
        readonly max_results?: number | undefined;
        /** Matching lines (default), files with matches, or counts per file. */
        readonly output_mode?: "content" | "files_with_matches" | "count" | undefined;
      };
    };
    /** Find files by name, newest first: "*.ts" at any depth, "src/**\/*.test.ts". Skips hidden and ignored files. For text in files use grep. */
    readonly glob: {
      readonly tool: "search.glob";
      readonly input: {
        /** * ? [a-z] {a,b} ** */
        readonly pattern: string;
        /** Default: the workspace. */
        readonly path?: string | undefined;
      };
    };
    /** Replace text in a file. `old_string` must occur exactly once, unless `replace_all` is set. */
    readonly edit_file: {
      readonly tool: "edit.replace";
      readonly input: {
        readonly file_path: string;
        /** Text to replace, copied from the file without line numbers, with enough context to be unique. */
        readonly old_string: string;
        readonly new_string: string;
        /** Replace every occurrence. */
        readonly replace_all?: boolean | undefined;
      };
    };
    /** Read several text files or images at once, by path or glob pattern. */
    readonly read_many_files: {
      readonly tool: "file.read";
      readonly input: {
        /** Up to 50 paths or patterns, e.g. "src/**\/*.ts". */
        readonly include: readonly string[];
      };
    };
    /** List a directory as a tree with sizes. Skips hidden and ignored files. To find files by name use glob. */
    readonly list_dir: {
      readonly tool: "file.list";
      readonly input: {
        /** Default: the workspace. */
        readonly path?: string | undefined;
        /** Default 2. */
        readonly depth?: number | undefined;
      };
    };
    /** Search the web. Returns titles, URLs and snippets. To read a page use web_fetch. */
    readonly web_search: {
      readonly tool: "web.search";
      readonly input: {
        readonly query: string;
        /** Default 10. */
        readonly max_results?: number | undefined;
      };
    };
    /** Fetch a URL. Returns HTML as Markdown, and text, JSON, documents and images. To find pages use web_search. */
    readonly web_fetch: {
      readonly tool: "web.fetch";
      readonly input: {
        readonly url: string;
      };
    };
    /** Start a subagent on a task. It sees only `task`, not this conversation. Get its answer with wait. */
    readonly spawn_agent: {
      readonly tool: "agent.spawn";
      readonly input: {
        /** What to do and what to answer, with all the context it needs. */
        readonly task: string;
        readonly working_dir?: string | undefined;
        /** Default: the current model. */
        readonly model?: string | undefined;
        /** Maximum number of model requests. */
        readonly max_turns?: number | undefined;
      };
    };
    /** Send a message to an agent while it works, or a follow-up task after its answer. */
    readonly send_input: {
      readonly tool: "agent.send";
      readonly input: {
        readonly agent_id: string;
        readonly message: string;
      };
    };
    /** Wait for the answer of an agent. */
    readonly wait: {
      readonly tool: "agent.wait";
      readonly input: {
        readonly agent_id: string;
      };
    };
    /** Close an agent that is no longer needed. */
    readonly close_agent: {
      readonly tool: "agent.close";
      readonly input: {
        readonly agent_id: string;
      };
    };
  };
  readonly omega: {
    /** Run a bash command in the workspace, for at most 120 seconds. Returns stdout and stderr together. */
    readonly bash: {
      readonly tool: "shell.run";
      readonly input: {
        /** The bash command to run. */
        readonly command: string;
      };
    };
    /** Read a file unchanged. It may be outside the workspace. */
    readonly read: {
      readonly tool: "file.read";
      readonly input: {
        /** Path, absolute or relative to the workspace. */
        readonly file_path: string;
      };
    };
    /** Create a file, with its directories, or replace a whole file. Not in system directories. */
    readonly write: {
      readonly tool: "file.write";
      readonly input: {
        /** Path, absolute or relative to the workspace. */
        readonly file_path: string;
        /** The complete new content. */
        readonly content: string;
      };
    };
    /** Replace the first occurrence of a text in a file. Reports how many there were. */
    readonly edit: {
      readonly tool: "edit.replace";
      readonly input: {
        /** Path, absolute or relative to the workspace. */
        readonly file_path: string;
        /** Text to replace, exactly as in the file. */
        readonly old_string: string;
        /** The new text. */
        readonly new_string: string;
      };
    };
    /** Start a subagent on a task. It sees only `task`, not this conversation. Get its answer with wait. */
    readonly spawn_agent: {
      readonly tool: "agent.spawn";
      readonly input: {
        /** What to do and what to answer, with all the context it needs. */
        readonly task: string;
        readonly working_dir?: string | undefined;
        /** Default: the current model. */
        readonly model?: string | undefined;
        /** Maximum number of model requests. */
        readonly max_turns?: number | undefined;
      };
    };
    /** Send a message to an agent while it works, or a follow-up task after its answer. */
    readonly send_input: {
      readonly tool: "agent.send";
      readonly input: {
        readonly agent_id: string;
        readonly message: string;
      };
    };
    /** Wait for the answer of an agent. */
    readonly wait: {
      readonly tool: "agent.wait";
      readonly input: {
        readonly agent_id: string;
      };
    };
    /** Close an agent that is no longer needed. */
    readonly close_agent: {
      readonly tool: "agent.close";
      readonly input: {
        readonly agent_id: string;
      };
    };
  };
  readonly rustant: {
    /** Read a file, or some of its lines. */
    readonly file_read: {
      readonly tool: "file.read";
      readonly input: {
        /** File, relative to the workspace or absolute. */
        readonly path: string;
        /** First line, starting at 1. */
        readonly start_line?: number | undefined;
        /** Last line, inclusive. */
        readonly end_line?: number | undefined;
      };
    };
    /** List the files and folders of a directory. Skips files in .gitignore. */
    readonly file_list: {
      readonly tool: "file.list";
      readonly input: {
        /** Directory to list; `.` is the workspace. */
        readonly path: string;
        /** Also list files in .gitignore. */
        readonly include_ignored?: boolean | undefined;
      };
    };
    /** Find files by name: a glob, or a part of the name. Skips files in .gitignore. */
    readonly file_search: {
      readonly tool: "search.glob";
      readonly input: {
        /** Glob ("*.rs", "src/**\/mod.rs") or part of a name. */
        readonly pattern: string;
        /** Directory to start in. Default: the workspace. */
        readonly path?: string | undefined;
      };
    };
    /** Create or replace a whole file, at most 10 MB. To change a part use smart_edit or file_patch. */
    readonly file_write: {
      readonly tool: "file.write";
      readonly input: {
        readonly path: string;
        /** The whole content. */
        readonly content: string;
      };
    };
    /** Apply a unified diff to an existing file. Line numbers are hints; context lines must match. */
    readonly file_patch: {
      readonly tool: "edit.diff";
      readonly input: {
        /** Hunks: `@@`, then lines that start with a space, - or +. */
        readonly patch: string;
        /** File to patch. */
        readonly path: string;
      };
    };
    /** Show staged, changed and untracked files of the git working tree. */
    readonly git_status: {
      readonly tool: "git.status";
      readonly input: {
        /** Repository. Default: the workspace. */
        readonly path?: string | undefined;
      };
    };
    /** Show changes as a diff: in the working tree, staged, or against a commit. */
    readonly git_diff: {
      readonly tool: "git.diff";
      readonly input: {
        /** Repository. Default: the workspace. */
        readonly path?: string | undefined;
        /** Only staged changes. */
        readonly staged?: boolean | undefined;
        /** Compare against this commit. */
        readonly commit?: string | undefined;
      };
    };
    /** Commit staged changes. */
    readonly git_commit: {
      readonly tool: "git.commit";
      readonly input: {
        readonly message: string;
        /** Repository. Default: the workspace. */
        readonly path?: string | undefined;
      };
    };
    /** Run a shell command in the workspace. */
    readonly shell_exec: {
      readonly tool: "shell.run";
      readonly input: {
        /** The command. */
        readonly command: string;
        /** Time limit in seconds. Default: 60. */
        readonly timeout_secs?: number | undefined;
      };
    };
    /** Echo a text, for example to think. */
    readonly echo: {
      readonly tool: "text.echo";
      readonly input: {
        readonly text: string;
      };
    };
    /** Get the current date, time and time zone. */
    readonly datetime: {
      readonly tool: "time.now";
      readonly input: { readonly [key: string]: never };
    };
    /** Evaluate a mathematical expression. */
    readonly calculator: {
      readonly tool: "math.calculate";
      readonly input: {
        /** For example sqrt(144) + 3 * 7. */
        readonly expression: string;
      };
    };
    /** Search the web. To read a page use web_fetch. */
    readonly web_search: {
      readonly tool: "web.search";
      readonly input: {
        readonly query: string;
        /** Default 10. */
        readonly max_results?: number | undefined;
      };
    };
    /** Fetch a URL. HTML is converted to readable text. */
    readonly web_fetch: {
      readonly tool: "web.fetch";
      readonly input: {
        readonly url: string;
      };
    };
    /** Read a document: PDF, DOCX, XLSX, PPTX, ODT, EPUB, RTF, CSV, HTML, notebooks, images. */
    readonly document_read: {
      readonly tool: "document.read";
      readonly input: {
        /** The document. */
        readonly path: string;
      };
    };
    /** Edit a location described in any way. Sets a checkpoint first and returns the diff. */
    readonly smart_edit: {
      readonly tool: "edit.smart";
      readonly input: {
        readonly path: string;
        /** Text in the file, "line 42", "lines 10-20", a symbol, or a description. */
        readonly location: string;
        readonly operation: "replace" | "insert_before" | "insert_after" | "delete";
        /** The new text. Ignored by delete. */
        readonly content?: string | undefined;
      };
    };
    /** Find code in the whole project by name or behavior. */
    readonly codebase_search: {
      readonly tool: "code.search";
      readonly input: {
        /** A question, names, "exact text" or /regex/. */
        readonly query: string;
        /** Only this kind, e.g. function, struct, class. */
        readonly filter?: string | undefined;
        /** "rust", "ts". */
        readonly language?: string | undefined;
      };
    };
    /** Start a subagent on a task. It sees only `task`, not this conversation. Get its answer with wait. */
    readonly spawn_agent: {
      readonly tool: "agent.spawn";
      readonly input: {
        /** What to do and what to answer, with all the context it needs. */
        readonly task: string;
        readonly working_dir?: string | undefined;
        /** Default: the current model. */
        readonly model?: string | undefined;
        /** Maximum number of model requests. */
        readonly max_turns?: number | undefined;
      };
    };
    /** Send a message to an agent while it works, or a follow-up task after its answer. */
    readonly send_input: {
      readonly tool: "agent.send";
      readonly input: {
        readonly agent_id: string;
        readonly message: string;
      };
    };
    /** Wait for the answer of an agent. */
    readonly wait: {
      readonly tool: "agent.wait";
      readonly input: {
        readonly agent_id: string;
      };
    };
    /** Close an agent that is no longer needed. */
    readonly close_agent: {
      readonly tool: "agent.close";
      readonly input: {
        readonly agent_id: string;
      };
    };
  };
  readonly "agent-loop": {
    /** Evaluate an arithmetic expression of numbers, + - * / ** and parentheses. Principle: It is parsed, never run as code. Usage: Give the whole expression, for example (2+3)*4. Fault tolerance: Names, calls and anything else are refused, with the position. */
    readonly calculate: {
      readonly tool: "math.calculate";
      readonly input: {
        /** For example (2+3)*4. */
        readonly expression: string;
      };
    };
    /** Get the current UTC time in ISO 8601 format. Principle: The clock of this machine, with six digits of a second and +00:00. Usage: Call it without arguments. Fault tolerance: It needs no network. */
    readonly get_current_time: {
      readonly tool: "time.now";
      readonly input: { readonly [key: string]: never };
    };
    /** Read a text file (at most 2000 lines or 50 KiB per call) or view an image. Principle: Whole lines, without line numbers. Usage: Read a file before you edit it. Read large files in parts, with offset and limit. Fault tolerance: A cut answer gives the offset to continue with. Other binary files are refused. */
    readonly read: {
      readonly tool: "file.read";
      readonly input: {
        /** File to read. */
        readonly path: string;
        /** Folder that paths are relative to. Default: the workspace. */
        readonly cwd?: string | undefined;
        /** First line, starting at 1. */
        readonly offset?: number | undefined;
        /** Number of lines. */
        readonly limit?: number | undefined;
        /** Maximum number of lines. Default: 2000. */
        readonly max_lines?: number | undefined;
        /** Maximum number of bytes. Default: 51200. */
        readonly max_bytes?: number | undefined;
      };
    };
    /** Create a file, with its folders, or replace it. Principle: The file gets exactly this content, all of it or nothing. Usage: For new files and complete rewrites. To change a part use edit. Fault tolerance: If it fails, the old file is unchanged. */
    readonly write: {
      readonly tool: "file.write";
      readonly input: {
        /** File to write. */
        readonly path: string;
        /** The complete content. */
        readonly content: string;
        /** Folder that paths are relative to. Default: the workspace. */
        readonly cwd?: string | undefined;
      };
    };
    /** Replace text in a file. Principle: The text must occur exactly once. Nothing else changes. Usage: Copy old_text from the file, with enough context to be unique. Fault tolerance: Small differences in whitespace are accepted. If it fails, the file is unchanged and the error says where similar text is. */
    readonly edit: {
      readonly tool: "edit.replace";
      readonly input: {
        /** File to edit. */
        readonly path: string;
        /** Text to replace, exactly as in the file. */
        readonly old_text: string;
        /** The new text. */
        readonly new_text: string;
        /** Folder that paths are relative to. Default: the workspace. */
        readonly cwd?: string | undefined;
      };
    };
    /** Search files with a regular expression. Principle: ripgrep's syntax, line by line. Answers with path:line:text. Usage: Search a file or folder. For file names use find. Fault tolerance: Skips binary files and files in .gitignore. Says when there are more matches than limit. */
    readonly grep: {
      readonly tool: "search.grep";
      readonly input: {
        /** Regular expression. */
        readonly pattern: string;
        /** File or folder to search. */
        readonly path: string;
        /** Folder that paths are relative to. Default: the workspace. */
        readonly cwd?: string | undefined;
        /** Maximum number of matches. Default: 100. */
        readonly limit?: number | undefined;
        /** Lines of context around each match. */
        readonly context?: number | undefined;
      };
    };
    /** Find up to 1000 files by a glob. Principle: Answers with paths, sorted. A glob without a slash matches at any depth. Usage: "*.ts" or "src/**\/*.json". For text in files use grep. Fault tolerance: Skips files in .gitignore. Says when there are more files. */
    readonly find: {
      readonly tool: "search.glob";
      readonly input: {
        /** Glob; without a slash it matches at any depth. */
        readonly pattern: string;
        /** Folder to search. */
        readonly path: string;
        /** Folder that paths are relative to. Default: the workspace. */
        readonly cwd?: string | undefined;
      };
    };
    /** List up to 500 entries of a folder. Principle: Answers with names, sorted, also hidden and ignored ones. Folders end with /. Usage: Without path it lists cwd. For deeper folders use find. Fault tolerance: Says how many more entries there are. */
    readonly ls: {
      readonly tool: "file.list";
      readonly input: {
        /** Folder to list. Default: `cwd`. */
        readonly path?: string | undefined;
        /** Folder that paths are relative to. Default: the workspace. */
        readonly cwd?: string | undefined;
      };
    };
    /** Start a subagent on a task. It sees only `task`, not this conversation. Get its answer with wait. */
    readonly spawn_agent: {
      readonly tool: "agent.spawn";
      readonly input: {
        /** What to do and what to answer, with all the context it needs. */
        readonly task: string;
        readonly working_dir?: string | undefined;
        /** Default: the current model. */
        readonly model?: string | undefined;
        /** Maximum number of model requests. */
        readonly max_turns?: number | undefined;
      };
    };
    /** Send a message to an agent while it works, or a follow-up task after its answer. */
    readonly send_input: {
      readonly tool: "agent.send";
      readonly input: {
        readonly agent_id: string;
        readonly message: string;
      };
    };
    /** Wait for the answer of an agent. */
    readonly wait: {
      readonly tool: "agent.wait";
      readonly input: {
        readonly agent_id: string;
      };
    };
    /** Close an agent that is no longer needed. */
    readonly close_agent: {
      readonly tool: "agent.close";
      readonly input: {
        readonly agent_id: string;
      };
    };
  };
  readonly surgical: {
    /** Read a file. Always read before editing. */
    readonly read_file: {
      readonly tool: "file.read";
      readonly input: {
        /** File, relative to the workspace or absolute. */
        readonly path: string;
        /** Lines to skip. 0 starts at line 1. */
        readonly offset?: number | undefined;
        /** Number of lines. Default: 2000. */
        readonly limit?: number | undefined;
      };
    };
    /** Find files by pattern, newest first; `**` matches any folders. Skips files in .gitignore. */
    readonly glob: {
      readonly tool: "search.glob";
      readonly input: {
        /** For example "src/**\/*.rs". */
        readonly pattern: string;
      };
    };
    /** Search file contents with a regular expression. Returns path, line number and line of each match. */
    readonly grep: {
      readonly tool: "search.grep";
      readonly input: {
        /** Regular expression. */
        readonly pattern: string;
        /** Only files that match, e.g. "*.rs". */
        readonly include?: string | undefined;
      };
    };
    /** Write a whole file. For new files or complete rewrites. */
    readonly write_file: {
      readonly tool: "file.write";
      readonly input: {
        readonly path: string;
        /** The whole content. */
        readonly content: string;
      };
    };
    /** Replace text that occurs exactly once. Whitespace must match. For small changes. */
    readonly patch_file: {
      readonly tool: "edit.replace";
      readonly input: {
        /** File to edit. */
        readonly path: string;
        /** Text to replace, exactly as in the file. */
        readonly old_text: string;
        /** The new text. */
        readonly new_text: string;
      };
    };
    /** Run a command in a persistent shell, which keeps directory and variables: cargo check, cargo test, git status. */
    readonly shell: {
      readonly tool: "shell.run";
      readonly input: {
        /** The command. */
        readonly command: string;
        /** Time limit in seconds. Default: 120. */
        readonly timeout_secs?: number | undefined;
      };
    };
    /** List the symbols of a Rust file as `Kind name [start-end]`. Use it before editing. */
    readonly rust_list_symbols: {
      readonly tool: "code.symbols";
      readonly input: {
        /** Rust file. */
        readonly path: string;
      };
    };
    /** Replace a whole Rust block by kind and name. Attributes and doc comments above it stay unless the new block has its own. Safer than write_file for existing code. */
    readonly rust_replace_block: {
      readonly tool: "code.replace_block";
      readonly input: {
        /** Rust file. */
        readonly path: string;
        /** Kind of block. */
        readonly kind: "function" | "struct" | "enum" | "trait" | "impl";
        /** Its name. */
        readonly name: string;
        /** Parent, if the name is not unique, e.g. "impl Agent". */
        readonly module_path?: string | undefined;
        /** A line near it, if the name is not unique. */
        readonly line_hint?: number | undefined;
        /** The complete new block. */
        readonly new_block: string;
        /** SHA-256 of the current block. */
        readonly expected_old_hash?: string | undefined;
        /** Text of the current block. */
        readonly expected_old_block?: string | undefined;
        /** Format the file. Default: false. */
        readonly run_rustfmt?: boolean | undefined;
        /** Run cargo check, and revert if it fails. Default: false. */
        readonly run_cargo_check?: boolean | undefined;
      };
    };
    /** Insert code after a Rust block, for example a new function. */
    readonly rust_insert_after_block: {
      readonly tool: "code.insert_block";
      readonly input: {
        /** Rust file. */
        readonly path: string;
        /** Kind of block. */
        readonly kind: "function" | "struct" | "enum" | "trait" | "impl";
        /** Its name. */
        readonly name: string;
        /** Parent, if the name is not unique, e.g. "impl Agent". */
        readonly module_path?: string | undefined;
        /** A line near it, if the name is not unique. */
        readonly line_hint?: number | undefined;
        /** The code to insert. */
        readonly snippet: string;
        /** SHA-256 of the current block. */
        readonly expected_old_hash?: string | undefined;
        /** Text of the current block. */
        readonly expected_old_block?: string | undefined;
        /** Format the file. Default: false. */
        readonly run_rustfmt?: boolean | undefined;
        /** Run cargo check, and revert if it fails. Default: false. */
        readonly run_cargo_check?: boolean | undefined;
      };
    };
    /** Check whether a Rust file has valid syntax. For types use cargo check. */
    readonly rust_validate_file: {
      readonly tool: "code.validate";
      readonly input: {
        /** Rust file. */
        readonly path: string;
      };
    };
    /** Start a subagent on a task. It sees only `task`, not this conversation. Get its answer with wait. */
    readonly spawn_agent: {
      readonly tool: "agent.spawn";
      readonly input: {
        /** What to do and what to answer, with all the context it needs. */
        readonly task: string;
        readonly working_dir?: string | undefined;
        /** Default: the current model. */
        readonly model?: string | undefined;
        /** Maximum number of model requests. */
        readonly max_turns?: number | undefined;
      };
    };
    /** Send a message to an agent while it works, or a follow-up task after its answer. */
    readonly send_input: {
      readonly tool: "agent.send";
      readonly input: {
        readonly agent_id: string;
        readonly message: string;
      };
    };
    /** Wait for the answer of an agent. */
    readonly wait: {
      readonly tool: "agent.wait";
      readonly input: {
        readonly agent_id: string;
      };
    };
    /** Close an agent that is no longer needed. */
    readonly close_agent: {
      readonly tool: "agent.close";
      readonly input: {
        readonly agent_id: string;
      };
    };
  };
  readonly codex: {
    /** Run a bash command in the workspace and return its output. If it is still running after `yield_time_ms`, it continues, and the result has a session ID for write_stdin. */
    readonly exec_command: {
      readonly tool: "process.start";
      readonly input: {
        /** Command to run, e.g. rg -n TODO src */
        readonly cmd: string;
        /** Working directory. Default: the workspace. */
        readonly workdir?: string | undefined;
        /** Run in a terminal, which is required for input. Default: false. */
        readonly tty?: boolean | undefined;
        /** How long to wait, 250 to 30000. Default: 10000. */
        readonly yield_time_ms?: number | undefined;
        /** Approximate maximum output. Default: 10000, the maximum. */
        readonly max_output_tokens?: number | undefined;
        /** Another shell, e.g. zsh. Default: bash. */
        readonly shell?: string | undefined;
        /** Ignored: startup files are not read. */
        readonly login?: boolean | undefined;
        /** Only use_default is supported. Approval is requested automatically. */
        readonly sandbox_permissions?:
          | "use_default"
          | "with_additional_permissions"
          | "require_escalated"
          | undefined;
        /** Purpose of the command, for the user. */
        readonly justification?: string | undefined;
        readonly prefix_rule?: readonly string[] | undefined;
      };
    };
    /** Write to the terminal of a running exec_command session and return its output. Without `chars`, wait for output. */
    readonly write_stdin: {
      readonly tool: "process.input" | "process.output";
      readonly input: {
        /** Session ID from the result. */
        readonly session_id: number;
        /** Text to type, e.g. y\n. \u0003 is Ctrl-C. */
        readonly chars?: string | undefined;
        /** How long to wait, 250 to 30000 (default 250). Without `chars`: 5000 to 300000 (default 5000). */
        readonly yield_time_ms?: number | undefined;
        /** Approximate maximum output. Default: 10000, the maximum. */
        readonly max_output_tokens?: number | undefined;
      };
    };
    /** Change one or more files with one patch, all or nothing: `*** Begin Patch`, then per file `*** Update File: path` (optionally `*** Move to: path`), `*** Add File: path` or `*** Delete File: path`, then `*** End Patch`. An update has hunks: `@@`, then lines that start with a space (about 3 lines of context), - or +. A new file has only + lines. */
    readonly apply_patch: {
      readonly tool: "edit.patch";
      readonly input: {
        readonly input: string;
      };
    };
    /** Update your plan. Send all steps each time, at most one in_progress. */
    readonly update_plan: {
      readonly tool: "plan.update";
      readonly input: {
        readonly explanation?: string | undefined;
        /** All steps, in order. */
        readonly plan: readonly {
          readonly step: string;
          readonly status: "pending" | "in_progress" | "completed";
        }[];
      };
    };
    /** View an image in the workspace: PNG, JPEG, GIF, WebP. */
    readonly view_image: {
      readonly tool: "view_image";
      readonly input: {
        /** Image file. */
        readonly path: string;
        /** Ignored: always the original size. */
        readonly detail?: "high" | "original" | undefined;
      };
    };
    /** Start an agent that works on a separate task in parallel. It knows only what `message` says. Get its answer with wait_agent. */
    readonly spawn_agent: {
      readonly tool: "agent.spawn";
      readonly input: {
        /** The task, with all the context it needs. */
        readonly message: string;
        /** Ignored. */
        readonly agent_type?: string | undefined;
        /** Not supported. */
        readonly fork_context?: boolean | undefined;
        /** Default: yours. */
        readonly model?: string | undefined;
      };
    };
    /** Send a message to a running agent, or a new task to one that has answered. */
    readonly send_input: {
      readonly tool: "agent.send";
      readonly input: {
        /** ID of the agent. */
        readonly target: string;
        readonly message: string;
        /** Ignored: messages arrive after the current step. */
        readonly interrupt?: boolean | undefined;
      };
    };
    /** Wait until one of these agents has answered. Returns all answers so far. */
    readonly wait_agent: {
      readonly tool: "agent.wait";
      readonly input: {
        /** IDs of the agents. */
        readonly targets: readonly string[];
        /** 10000 to 3600000. Default: 30000. Prefer long waits. */
        readonly timeout_ms?: number | undefined;
      };
    };
    /** Close an agent that is no longer needed. */
    readonly close_agent: {
      readonly tool: "agent.close";
      readonly input: {
        readonly target: string;
      };
    };
  };
  readonly "anthropic-native": {
    /** View, create and edit files. */
    readonly str_replace_based_edit_tool: {
      readonly tool: "file.read" | "file.write" | "edit.replace" | "edit.smart";
      readonly input: {
        readonly command: "view" | "create" | "str_replace" | "insert";
        readonly path: string;
        readonly view_range?: readonly number[] | undefined;
        readonly file_text?: string | undefined;
        readonly old_str?: string | undefined;
        readonly new_str?: string | undefined;
        readonly insert_line?: number | undefined;
        readonly insert_text?: string | undefined;
      };
    };
    /** Run commands in a persistent bash session. */
    readonly bash: {
      readonly tool: "shell.run" | "process.stop";
      readonly input: {
        readonly command?: string | undefined;
        readonly restart?: boolean | undefined;
      };
    };
    /** List a directory as a tree with sizes. Skips hidden and ignored files. To find files by name use search_glob. */
    readonly file_list: {
      readonly tool: "file.list";
      readonly input: {
        /** Default: the workspace. */
        readonly path?: string | undefined;
        /** Default 2. */
        readonly depth?: number | undefined;
        /** Default 1000. */
        readonly limit?: number | undefined;
        /** Patterns to exclude: *.log, build/. */
        readonly exclude?: readonly string[] | undefined;
        /** Include dotfiles. */
        readonly hidden?: boolean | undefined;
        /** Include ignored files. */
        readonly no_ignore?: boolean | undefined;
      };
    };
    /** Search file contents by regex (ripgrep syntax). Skips ignored, hidden and binary files. For file names use search_glob. */
    readonly search_grep: {
      readonly tool: "search.grep";
      readonly input: {
        readonly pattern: string;
        /** File, directory or out_... handle. Default: the workspace. */
        readonly path?: string | undefined;
        /** Treat the pattern as plain text. */
        readonly literal?: boolean | undefined;
        readonly ignore_case?: boolean | undefined;
        readonly whole_word?: boolean | undefined;
        /** Match across lines. */
        readonly multiline?: boolean | undefined;
        /** Regex of lines to skip. */
        readonly exclude?: string | undefined;
        /** Return only the matching parts. */
        readonly only_matching?: boolean | undefined;
        /** Lines around each match. */
        readonly context?: number | undefined;
        readonly before?: number | undefined;
        readonly after?: number | undefined;
        /** "*.ts", "src/**"; "!*.test.ts" excludes. */
        readonly glob?: string | readonly string[] | undefined;
        /** "ts", "py", "rust". */
        readonly type?: string | undefined;
        /** Default content. */
        readonly mode?: "content" | "files" | "count" | undefined;
        /** Default 100. */
        readonly limit?: number | undefined;
        /** Maximum matches per file. */
        readonly max_per_file?: number | undefined;
        /** Include dotfiles. */
        readonly hidden?: boolean | undefined;
        /** Include ignored files. */
        readonly no_ignore?: boolean | undefined;
      };
    };
    /** Find files by name, newest first: "*.ts" at any depth, "src/**\/*.test.ts". Skips hidden and ignored files. For text in files use search_grep. */
    readonly search_glob: {
      readonly tool: "search.glob";
      readonly input: {
        /** * ? [a-z] {a,b} ** */
        readonly pattern: string;
        /** Default: the workspace. */
        readonly path?: string | undefined;
        readonly ignore_case?: boolean | undefined;
        /** Default newest. */
        readonly sort?: "newest" | "path" | undefined;
        /** Default 500. */
        readonly limit?: number | undefined;
        /** Include dotfiles. */
        readonly hidden?: boolean | undefined;
        /** Include ignored files. */
        readonly no_ignore?: boolean | undefined;
      };
    };
    /** Undo file changes of earlier calls, including shell commands. Default: the latest call that changed files. Never overwrites later changes by others. */
    readonly journal_undo: {
      readonly tool: "journal.undo";
      readonly input: {
        /** Id of a call or transaction, or a range call_a..call_b. */
        readonly call?: string | undefined;
        /** Number of latest calls. */
        readonly last?: number | undefined;
        /** All calls after this checkpoint. */
        readonly checkpoint?: string | undefined;
        /** 2026-11-15T09:30:00Z */
        readonly since?: string | undefined;
        /** Revert the latest undo. */
        readonly redo?: boolean | undefined;
        /** Only these. */
        readonly paths?: readonly string[] | undefined;
        /** Only this hunk. */
        readonly hunk?: number | undefined;
        /** Merge into files that changed since. */
        readonly merge?: boolean | undefined;
        /** Skip files that changed since. */
        readonly skip_changed?: boolean | undefined;
        /** Only show it. */
        readonly dry_run?: boolean | undefined;
      };
    };
    /** Start a subagent on a task. It sees only `task`, not this conversation. Get its answer with wait. */
    readonly spawn_agent: {
      readonly tool: "agent.spawn";
      readonly input: {
        /** What to do and what to answer, with all the context it needs. */
        readonly task: string;
        readonly working_dir?: string | undefined;
        /** Default: the current model. */
        readonly model?: string | undefined;
        /** Maximum number of model requests. */
        readonly max_turns?: number | undefined;
      };
    };
    /** Send a message to an agent while it works, or a follow-up task after its answer. */
    readonly send_input: {
      readonly tool: "agent.send";
      readonly input: {
        readonly agent_id: string;
        readonly message: string;
      };
    };
    /** Wait for the answer of an agent. */
    readonly wait: {
      readonly tool: "agent.wait";
      readonly input: {
        readonly agent_id: string;
      };
    };
    /** Close an agent that is no longer needed. */
    readonly close_agent: {
      readonly tool: "agent.close";
      readonly input: {
        readonly agent_id: string;
      };
    };
  };
  readonly "claude-code": {
    /** Read a file: text with line numbers in the format of `cat -n`, images, PDF, Jupyter notebooks. Reads the first 2000 lines, unless `offset` and `limit` are given. To list a directory use Bash with ls. */
    readonly Read: {
      readonly tool: "file.read" | "document.read";
      readonly input: {
        /** Absolute path. */
        readonly file_path: string;
        /** First line. Default: 1. */
        readonly offset?: number | undefined;
        /** Number of lines. Default: 2000. */
        readonly limit?: number | undefined;
        /** Pages of a PDF: "3" or "1-5", at most 20. */
        readonly pages?: string | undefined;
        /** Show more of a large file. */
        readonly allow_large?: boolean | undefined;
      };
    };
    /** Create a file, with its directories, or replace a whole file. To change a part of a file use Edit. */
    readonly Write: {
      readonly tool: "file.write";
      readonly input: {
        /** Absolute path. */
        readonly file_path: string;
        /** The complete new content. */
        readonly content: string;
      };
    };
    /** Replace text in a file. `old_string` must occur exactly once, unless `replace_all` is set: copy it from the file without line numbers, with enough context. */
    readonly Edit: {
      readonly tool: "edit.replace";
      readonly input: {
        /** Absolute path. */
        readonly file_path: string;
        /** Text to replace. Empty only for a new or empty file. */
        readonly old_string: string;
        /** New text, different from `old_string`. */
        readonly new_string: string;
        /** Replace every occurrence. */
        readonly replace_all?: boolean | undefined;
      };
    };
    /** Run a bash command. Each command starts in the workspace, without input: use `cd dir && ...`. To read, write, edit or find files use the dedicated tools. Run servers and watchers in the background: see BashOutput. */
    readonly Bash: {
      readonly tool: "shell.run" | "process.start";
      readonly input: {
        /** The command. */
        readonly command: string;
        /** Milliseconds. Default: 120000, at most 600000; in the background 1800000, at most 7200000. */
        readonly timeout?: number | undefined;
        /** What it does, in 5-10 words. */
        readonly description?: string | undefined;
        /** Run it in the background. Default: false. */
        readonly run_in_background?: boolean | undefined;
        /** Not supported. */
        readonly dangerouslyDisableSandbox?: boolean | undefined;
      };
    };
    /** Get the new output of a background command, and whether it is still running. */
    readonly BashOutput: {
      readonly tool: "process.output";
      readonly input: {
        /** Its ID. */
        readonly bash_id: string;
        /** Regular expression. Lines that do not match are dropped. */
        readonly filter?: string | undefined;
      };
    };
    /** Stop a background command or agent and everything it started. */
    readonly TaskStop: {
      readonly tool: "process.stop" | "agent.close";
      readonly input: {
        /** Its ID. */
        readonly task_id?: string | undefined;
        /** Old name of `task_id`. */
        readonly shell_id?: string | undefined;
      };
    };
    /** Search file contents with a ripgrep regular expression. Skips ignored files. Use this instead of grep or rg in Bash. */
    readonly Grep: {
      readonly tool: "search.grep";
      readonly input: {
        /** Regular expression, e.g. log.*Error, function\s+\w+, interface\{\} */
        readonly pattern: string;
        /** File or directory. Default: the workspace. */
        readonly path?: string | undefined;
        /** Only files that match, e.g. *.{ts,tsx} */
        readonly glob?: string | undefined;
        /** Matching lines, files with matches (default), or counts. Options marked content need that mode. */
        readonly output_mode?: "content" | "files_with_matches" | "count" | undefined;
        /** content: lines before each match. */
        readonly "-B"?: number | undefined;
        /** content: lines after each match. */
        readonly "-A"?: number | undefined;
        /** Alias of context. */
        readonly "-C"?: number | undefined;
        /** content: lines before and after each match. */
        readonly context?: number | undefined;
        /** content: line numbers. Default: true. */
        readonly "-n"?: boolean | undefined;
        /** Ignore case. */
        readonly "-i"?: boolean | undefined;
        /** content: only the matching parts, one per line. */
        readonly "-o"?: boolean | undefined;
        /** Only files of this type, e.g. js, py, rust. */
        readonly type?: string | undefined;
        /** Maximum number of lines or entries. Default: 250; 0 for all. */
        readonly head_limit?: number | undefined;
        /** Lines or entries to skip. Default: 0. */
        readonly offset?: number | undefined;
        /** Patterns can span lines, and . matches newlines. Default: false. */
        readonly multiline?: boolean | undefined;
      };
    };
    /** Find files by name, newest first: **\/*.ts, src/**\/*.{js,jsx}. To find text in files use Grep. */
    readonly Glob: {
      readonly tool: "search.glob";
      readonly input: {
        /** Glob pattern. */
        readonly pattern: string;
        /** Directory. Default: the workspace. */
        readonly path?: string | undefined;
      };
    };
    /** Replace, insert or delete a cell of a Jupyter notebook. To see its cells use Read. */
    readonly NotebookEdit: {
      readonly tool: "notebook.edit";
      readonly input: {
        /** Absolute path. */
        readonly notebook_path: string;
        /** ID or number of the cell. A new cell comes after it. Default: at the beginning. */
        readonly cell_id?: string | undefined;
        /** The complete new source of the cell. */
        readonly new_source: string;
        /** Required for insert. Default: unchanged. */
        readonly cell_type?: "code" | "markdown" | undefined;
        /** Default: replace. */
        readonly edit_mode?: "replace" | "insert" | "delete" | undefined;
      };
    };
    /** Maintain a todo list for work with several steps. Send the whole list each time, with one item in_progress; mark each item completed as soon as it is done. */
    readonly TodoWrite: {
      readonly tool: "plan.update";
      readonly input: {
        /** The whole list. */
        readonly todos: readonly {
          /** What to do, e.g. Run the tests */
          readonly content: string;
          readonly status: "pending" | "in_progress" | "completed";
          /** Present form, e.g. Running the tests */
          readonly activeForm: string;
        }[];
      };
    };
    /** Fetch a web page as Markdown, or another file by its URL. Returns the page itself. To find pages use WebSearch. */
    readonly WebFetch: {
      readonly tool: "web.fetch";
      readonly input: {
        /** https://... */
        readonly url: string;
        /** What you are looking for. */
        readonly prompt: string;
        /** Where to continue, from the last result. */
        readonly offset?: number | undefined;
      };
    };
    /** Search the web. Returns the title, URL and snippet of each page. To read one use WebFetch. */
    readonly WebSearch: {
      readonly tool: "web.search";
      readonly input: {
        /** Search query. */
        readonly query: string;
        /** Only results from these. */
        readonly allowed_domains?: readonly string[] | undefined;
        /** No results from these. */
        readonly blocked_domains?: readonly string[] | undefined;
      };
    };
    /** Start an agent on a separate task. It knows only what `prompt` says. To run several in parallel, start them in one reply. */
    readonly Agent: {
      readonly tool: "agent.spawn";
      readonly input: {
        /** The task in 3-5 words. */
        readonly description: string;
        /** The task, with all the context it needs. */
        readonly prompt: string;
        /** Ignored. */
        readonly subagent_type?: string | undefined;
        /** provider/name. Default: yours. */
        readonly model?: string | undefined;
        /** False waits for its answer. Default: true. */
        readonly run_in_background?: boolean | undefined;
      };
    };
    /** Get the answer of an agent. */
    readonly TaskOutput: {
      readonly tool: "agent.wait";
      readonly input: {
        /** ID of the agent. */
        readonly task_id: string;
        /** Wait for the answer. Default: true. */
        readonly block?: boolean | undefined;
        /** Milliseconds. Default: 600000. */
        readonly timeout?: number | undefined;
      };
    };
    /** Send a message to a running agent, or a new task to one that has answered. */
    readonly SendMessage: {
      readonly tool: "agent.send";
      readonly input: {
        /** ID of the agent. */
        readonly to: string;
        readonly message: string;
        /** The message in a few words. */
        readonly summary?: string | undefined;
      };
    };
  };
  readonly "gemini-cli": {
    /** Read a file: text, an image, a PDF or another document. Shows up to 2000 lines of up to 2000 characters. To read other lines use start_line and end_line. */
    readonly read_file: {
      readonly tool: "file.read" | "document.read";
      readonly input: {
        /** The file. */
        readonly file_path: string;
        /** First line, starting at 1. */
        readonly start_line?: number | undefined;
        /** Last line, inclusive. */
        readonly end_line?: number | undefined;
      };
    };
    /** Read several files at once, by path or glob pattern. At most 50. */
    readonly read_many_files: {
      readonly tool: "file.read";
      readonly input: {
        /** Paths or patterns, e.g. ["src/**\/*.ts", "README.md", "docs/"] */
        readonly include: readonly string[];
        /** Patterns to exclude, e.g. **\/*.log */
        readonly exclude?: readonly string[] | undefined;
        /** Include subfolders. Default: true. */
        readonly recursive?: boolean | undefined;
        /** Exclude ignored files. Default: true. */
        readonly useDefaultExcludes?: boolean | undefined;
        /** Which ignore files apply. */
        readonly file_filtering_options?:
          | {
              /** Skip files in .gitignore. Default: true. */
              readonly respect_git_ignore?: boolean | undefined;
              /** Ignored: .geminiignore is not read. */
              readonly respect_gemini_ignore?: boolean | undefined;
            }
          | undefined;
      };
    };
    /** Create a file, with its directories, or replace a whole file. To change a part of a file use replace. */
    readonly write_file: {
      readonly tool: "file.write";
      readonly input: {
        readonly file_path: string;
        /** The complete content, without placeholders. */
        readonly content: string;
      };
    };
    /** Replace text in a file. `old_string` must occur exactly once, unless `allow_multiple` is set: copy it literally, with enough context. */
    readonly replace: {
      readonly tool: "edit.replace";
      readonly input: {
        /** The file. */
        readonly file_path: string;
        /** Purpose of the change, in one sentence. */
        readonly instruction: string;
        /** Text to replace, unescaped. Empty only for a new or empty file. */
        readonly old_string: string;
        /** Complete new text, unescaped. */
        readonly new_string: string;
        /** Replace all occurrences. Default: false. */
        readonly allow_multiple?: boolean | undefined;
      };
    };
    /** Run a command with `bash -c`, without input. It is stopped after 5 minutes without output, or 10 minutes in total. Run servers and watchers with is_background, not with &: see read_background_output. */
    readonly run_shell_command: {
      readonly tool: "shell.run" | "process.start";
      readonly input: {
        /** The command. */
        readonly command: string;
        /** What it does, for the user. */
        readonly description?: string | undefined;
        /** Working directory. Default: the workspace. */
        readonly dir_path?: string | undefined;
        /** Run it in the background. Default: false. */
        readonly is_background?: boolean | undefined;
        /** How long to watch a background command first. */
        readonly delay_ms?: number | undefined;
      };
    };
    /** List background commands and their states. */
    readonly list_background_processes: {
      readonly tool: "process.list";
      readonly input: { readonly [key: string]: never };
    };
    /** Get the latest output of a background command. */
    readonly read_background_output: {
      readonly tool: "process.output";
      readonly input: {
        /** Its ID. */
        readonly pid: number;
        /** Number of last lines. Default: 100. */
        readonly lines?: number | undefined;
        /** How long to wait first. */
        readonly delay_ms?: number | undefined;
      };
    };
    /** Search file contents with a ripgrep regular expression. Ignores case by default, and shows up to 100 matches by default. */
    readonly grep_search: {
      readonly tool: "search.grep";
      readonly input: {
        /** Regular expression, e.g. \bMatchMe\b */
        readonly pattern: string;
        /** Directory or file. Default: the workspace. */
        readonly dir_path?: string | undefined;
        /** Only files that match, e.g. *.ts, src/** */
        readonly include_pattern?: string | undefined;
        /** Regular expression. Excludes lines that also match it. */
        readonly exclude_pattern?: string | undefined;
        /** Only file names. */
        readonly names_only?: boolean | undefined;
        /** Default: false. */
        readonly case_sensitive?: boolean | undefined;
        /** Treat the pattern as literal text. */
        readonly fixed_strings?: boolean | undefined;
        /** Lines around each match. */
        readonly context?: number | undefined;
        /** Lines after each match. */
        readonly after?: number | undefined;
        /** Lines before each match. */
        readonly before?: number | undefined;
        /** Include ignored files. */
        readonly no_ignore?: boolean | undefined;
        /** Maximum matches per file. */
        readonly max_matches_per_file?: number | undefined;
        /** Maximum matches in total. Default: 100. */
        readonly total_max_matches?: number | undefined;
      };
    };
    /** Find files by name, newest first: src/**\/*.ts, **\/*.md. To find text in files use grep_search. */
    readonly glob: {
      readonly tool: "search.glob";
      readonly input: {
        /** Glob pattern. */
        readonly pattern: string;
        /** Directory. Default: the workspace. */
        readonly dir_path?: string | undefined;
        /** Default: false. */
        readonly case_sensitive?: boolean | undefined;
        /** Skip files in .gitignore. Default: true. */
        readonly respect_git_ignore?: boolean | undefined;
        /** Ignored: .geminiignore is not read. */
        readonly respect_gemini_ignore?: boolean | undefined;
      };
    };
    /** List the entries of a directory. To find files in subdirectories use glob. */
    readonly list_directory: {
      readonly tool: "file.list";
      readonly input: {
        /** Directory, e.g. . */
        readonly dir_path: string;
        /** Patterns to exclude. */
        readonly ignore?: readonly string[] | undefined;
        /** Which ignore files apply. */
        readonly file_filtering_options?:
          | {
              /** Skip files in .gitignore. Default: true. */
              readonly respect_git_ignore?: boolean | undefined;
              /** Ignored: .geminiignore is not read. */
              readonly respect_gemini_ignore?: boolean | undefined;
            }
          | undefined;
      };
    };
    /** Search the web. Returns titles, URLs and snippets. To read a page use web_fetch. */
    readonly google_web_search: {
      readonly tool: "web.search";
      readonly input: {
        readonly query: string;
      };
    };
    /** Fetch the pages or files at the URLs in the prompt (at most 20) as Markdown. Returns the pages themselves. To find pages use google_web_search. */
    readonly web_fetch: {
      readonly tool: "web.fetch";
      readonly input: {
        /** The URLs (https://...) and what you are looking for. */
        readonly prompt: string;
      };
    };
    /** Maintain a todo list for work with several steps. Send the whole list each time, with one item in_progress. */
    readonly write_todos: {
      readonly tool: "plan.update";
      readonly input: {
        /** The whole list. It replaces the previous one. */
        readonly todos: readonly {
          /** What to do. */
          readonly description: string;
          readonly status: "pending" | "in_progress" | "completed" | "cancelled" | "blocked";
        }[];
      };
    };
    /** Start a subagent on a task. It sees only `task`, not this conversation. Get its answer with wait. */
    readonly spawn_agent: {
      readonly tool: "agent.spawn";
      readonly input: {
        /** What to do and what to answer, with all the context it needs. */
        readonly task: string;
        readonly working_dir?: string | undefined;
        /** Default: the current model. */
        readonly model?: string | undefined;
        /** Maximum number of model requests. */
        readonly max_turns?: number | undefined;
      };
    };
    /** Send a message to an agent while it works, or a follow-up task after its answer. */
    readonly send_input: {
      readonly tool: "agent.send";
      readonly input: {
        readonly agent_id: string;
        readonly message: string;
      };
    };
    /** Wait for the answer of an agent. */
    readonly wait: {
      readonly tool: "agent.wait";
      readonly input: {
        readonly agent_id: string;
      };
    };
    /** Close an agent that is no longer needed. */
    readonly close_agent: {
      readonly tool: "agent.close";
      readonly input: {
        readonly agent_id: string;
      };
    };
  };
}
