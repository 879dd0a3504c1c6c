import type { Line } from './call.ts';
import { addCreated, type CreatedRow, type NewImport } from './created.ts';

const saveEvery = 1_000;

/** The enrolments that the rows created, which an undo would withdraw. */
function createdRows(lines: readonly Line[]): CreatedRow[] {
  return lines.flatMap(({ Status, LoginID, EnrollID }): CreatedRow[] =>
    Status === 201 && LoginID !== undefined && EnrollID !== undefined ? [[LoginID, EnrollID]] : [],
  );
}

/**
 * Remembers on the device what an import creates: once a second, and when the tab is closed. Otherwise, the records
 * created just before closing could not be undone.
 */
export function openRecorder(created: NewImport, onKept: (isKept: boolean) => void) {
  let unsaved: CreatedRow[] = [];
  let savedAt = Date.now();
  let isKept = true;
  const save = () => {
    const rows = unsaved;
    unsaved = [];
    savedAt = Date.now();
    if (!isKept || rows.length === 0) return;
    isKept = addCreated(created, rows);
    onKept(isKept);
  };
  addEventListener('pagehide', save);
  return {
    add(lines: readonly Line[]): void {
      unsaved.push(...createdRows(lines));
      if (Date.now() - savedAt >= saveEvery) save();
    },
    end(): void {
      removeEventListener('pagehide', save);
      save();
    },
  };
}

export type Recorder = ReturnType<typeof openRecorder>;
