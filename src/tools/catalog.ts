/**
 * Every canonical tool, loaded on first use, so that a single call does not load all of them. A new tool needs its
 * file and an entry here.
 */
export const catalog = {
  "file.read": async (): Promise<typeof import("./file/read.ts").fileRead> =>
    (await import("./file/read.ts")).fileRead,
  "file.write": async (): Promise<typeof import("./file/write.ts").fileWrite> =>
    (await import("./file/write.ts")).fileWrite,
  "file.list": async (): Promise<typeof import("./file/list.ts").fileList> =>
    (await import("./file/list.ts")).fileList,
  "file.delete": async (): Promise<typeof import("./file/delete.ts").fileDelete> =>
    (await import("./file/delete.ts")).fileDelete,
  "file.move": async (): Promise<typeof import("./file/move.ts").fileMove> =>
    (await import("./file/move.ts")).fileMove,
  "edit.replace": async (): Promise<typeof import("./edit/replace.ts").editReplace> =>
    (await import("./edit/replace.ts")).editReplace,
  "edit.patch": async (): Promise<typeof import("./edit/patch.ts").editPatch> =>
    (await import("./edit/patch.ts")).editPatch,
  "edit.diff": async (): Promise<typeof import("./edit/diff.ts").editDiff> =>
    (await import("./edit/diff.ts")).editDiff,
  "edit.preview": async (): Promise<typeof import("./edit/preview.ts").editPreview> =>
    (await import("./edit/preview.ts")).editPreview,
  "edit.smart": async (): Promise<typeof import("./edit/smart.ts").editSmart> =>
    (await import("./edit/smart.ts")).editSmart,
  "search.grep": async (): Promise<typeof import("./search/grep.ts").searchGrep> =>
    (await import("./search/grep.ts")).searchGrep,
  "search.glob": async (): Promise<typeof import("./search/glob.ts").searchGlob> =>
    (await import("./search/glob.ts")).searchGlob,
  "code.symbols": async (): Promise<typeof import("./code/symbols.ts").codeSymbols> =>
    (await import("./code/symbols.ts")).codeSymbols,
  "code.read_symbol": async (): Promise<typeof import("./code/read-symbol.ts").codeReadSymbol> =>
    (await import("./code/read-symbol.ts")).codeReadSymbol,
  "code.replace_block": async (): Promise<typeof import("./code/replace-block.ts").codeReplaceBlock> =>
    (await import("./code/replace-block.ts")).codeReplaceBlock,
  "code.insert_block": async (): Promise<typeof import("./code/insert-block.ts").codeInsertBlock> =>
    (await import("./code/insert-block.ts")).codeInsertBlock,
  "code.delete_block": async (): Promise<typeof import("./code/delete-block.ts").codeDeleteBlock> =>
    (await import("./code/delete-block.ts")).codeDeleteBlock,
  "code.validate": async (): Promise<typeof import("./code/validate.ts").codeValidate> =>
    (await import("./code/validate.ts")).codeValidate,
  "code.rename": async (): Promise<typeof import("./code/rename.ts").codeRename> =>
    (await import("./code/rename.ts")).codeRename,
  "code.references": async (): Promise<typeof import("./code/references.ts").codeReferences> =>
    (await import("./code/references.ts")).codeReferences,
  "code.search": async (): Promise<typeof import("./code/search.ts").codeSearch> =>
    (await import("./code/search.ts")).codeSearch,
  "code.map": async (): Promise<typeof import("./code/map.ts").codeMap> =>
    (await import("./code/map.ts")).codeMap,
  "document.read": async (): Promise<typeof import("./document/read.ts").documentRead> =>
    (await import("./document/read.ts")).documentRead,
  "shell.run": async (): Promise<typeof import("./shell/run.ts").shellRun> =>
    (await import("./shell/run.ts")).shellRun,
  "process.start": async (): Promise<typeof import("./process/start.ts").processStart> =>
    (await import("./process/start.ts")).processStart,
  "process.list": async (): Promise<typeof import("./process/list.ts").processList> =>
    (await import("./process/list.ts")).processList,
  "process.output": async (): Promise<typeof import("./process/output.ts").processOutput> =>
    (await import("./process/output.ts")).processOutput,
  "process.input": async (): Promise<typeof import("./process/input.ts").processInput> =>
    (await import("./process/input.ts")).processInput,
  "process.wait": async (): Promise<typeof import("./process/wait.ts").processWait> =>
    (await import("./process/wait.ts")).processWait,
  "process.stop": async (): Promise<typeof import("./process/stop.ts").processStop> =>
    (await import("./process/stop.ts")).processStop,
  "git.status": async (): Promise<typeof import("./git/status.ts").gitStatus> =>
    (await import("./git/status.ts")).gitStatus,
  "git.diff": async (): Promise<typeof import("./git/diff.ts").gitDiff> =>
    (await import("./git/diff.ts")).gitDiff,
  "git.log": async (): Promise<typeof import("./git/log.ts").gitLog> => (await import("./git/log.ts")).gitLog,
  "git.show": async (): Promise<typeof import("./git/show.ts").gitShow> =>
    (await import("./git/show.ts")).gitShow,
  "git.blame": async (): Promise<typeof import("./git/blame.ts").gitBlame> =>
    (await import("./git/blame.ts")).gitBlame,
  "git.stage": async (): Promise<typeof import("./git/stage.ts").gitStage> =>
    (await import("./git/stage.ts")).gitStage,
  "git.commit": async (): Promise<typeof import("./git/commit.ts").gitCommit> =>
    (await import("./git/commit.ts")).gitCommit,
  "git.branch": async (): Promise<typeof import("./git/branch.ts").gitBranch> =>
    (await import("./git/branch.ts")).gitBranch,
  "journal.undo": async (): Promise<typeof import("./journal/undo.ts").journalUndo> =>
    (await import("./journal/undo.ts")).journalUndo,
  "journal.diff": async (): Promise<typeof import("./journal/diff.ts").journalDiff> =>
    (await import("./journal/diff.ts")).journalDiff,
  "journal.checkpoint": async (): Promise<typeof import("./journal/checkpoint.ts").journalCheckpoint> =>
    (await import("./journal/checkpoint.ts")).journalCheckpoint,
  "transaction.begin": async (): Promise<typeof import("./transaction/begin.ts").transactionBegin> =>
    (await import("./transaction/begin.ts")).transactionBegin,
  "transaction.check": async (): Promise<typeof import("./transaction/check.ts").transactionCheck> =>
    (await import("./transaction/check.ts")).transactionCheck,
  "transaction.commit": async (): Promise<typeof import("./transaction/commit.ts").transactionCommit> =>
    (await import("./transaction/commit.ts")).transactionCommit,
  "transaction.rollback": async (): Promise<typeof import("./transaction/rollback.ts").transactionRollback> =>
    (await import("./transaction/rollback.ts")).transactionRollback,
  "notebook.edit": async (): Promise<typeof import("./notebook/edit.ts").notebookEdit> =>
    (await import("./notebook/edit.ts")).notebookEdit,
  "plan.update": async (): Promise<typeof import("./plan/update.ts").planUpdate> =>
    (await import("./plan/update.ts")).planUpdate,
  "math.calculate": async (): Promise<typeof import("./math/calculate.ts").mathCalculate> =>
    (await import("./math/calculate.ts")).mathCalculate,
  "time.now": async (): Promise<typeof import("./time/now.ts").timeNow> =>
    (await import("./time/now.ts")).timeNow,
  "text.echo": async (): Promise<typeof import("./text/echo.ts").textEcho> =>
    (await import("./text/echo.ts")).textEcho,
  "tools.find": async (): Promise<typeof import("./tools/find.ts").toolsFind> =>
    (await import("./tools/find.ts")).toolsFind,
  "tools.call": async (): Promise<typeof import("./tools/call.ts").toolsCall> =>
    (await import("./tools/call.ts")).toolsCall,
  "web.fetch": async (): Promise<typeof import("./web/fetch.ts").webFetch> =>
    (await import("./web/fetch.ts")).webFetch,
  "web.search": async (): Promise<typeof import("./web/search.ts").webSearch> =>
    (await import("./web/search.ts")).webSearch,
  "agent.spawn": async (): Promise<typeof import("./agent/spawn.ts").agentSpawn> =>
    (await import("./agent/spawn.ts")).agentSpawn,
  "agent.send": async (): Promise<typeof import("./agent/send.ts").agentSend> =>
    (await import("./agent/send.ts")).agentSend,
  "agent.wait": async (): Promise<typeof import("./agent/wait.ts").agentWait> =>
    (await import("./agent/wait.ts")).agentWait,
  "agent.close": async (): Promise<typeof import("./agent/close.ts").agentClose> =>
    (await import("./agent/close.ts")).agentClose,
};

export type CanonicalName = keyof typeof catalog;

/** The tool behind a canonical name. */
export type CanonicalTool<Name extends CanonicalName> = Awaited<ReturnType<(typeof catalog)[Name]>>;
