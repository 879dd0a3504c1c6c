import type { RunTimeData } from '../standards/types.ts';

/** The parts of scorm-again's two run-time APIs that the player uses. */
export type Engine = {
  currentState: number;
  lastErrorCode: string;
  settings: Record<string, unknown>;
  on(event: string, listener: (...values: never[]) => void): void;
  reset(settings?: object, options?: { preserveListeners?: boolean; resetTotalTime?: boolean }): void;
  isInitialized(): boolean;
  isTerminated(): boolean;
  loadFromFlattenedJSON(data: RunTimeData): void;
  getFlattenedCMI(): Record<string, unknown>;
};

/** scorm-again calls its HTTP service synchronously, and passes the result to the content. */
export type CommitOutcome = { result: 'true' | 'false'; errorCode: number };

export const states = { notInitialized: 0, initialized: 1, terminated: 2 } as const;

export function engineSettings(
  commit: (isTermination: boolean) => CommitOutcome,
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  const httpService = {
    processHttpRequest: (_url: string, _data: unknown, isTermination: boolean) => commit(isTermination),
    updateSettings: () => {},
  };
  // Without an address, the engine would answer every commit with true and send nothing.
  return { lmsCommitUrl: 'lectern', httpService, autocommit: false, logLevel: 5, ...more };
}

/** Unset elements are omitted. A snapshot is complete, so a missing element is empty. */
export function flatSnapshot(engine: Engine): RunTimeData {
  const data: RunTimeData = {};
  for (const [element, value] of Object.entries(engine.getFlattenedCMI())) {
    const isText = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    if (isText && value !== '') data[element] = String(value);
  }
  return data;
}

/** Sets one element at a time, so that a value that the engine rejects does not affect the others. */
export function loadData(engine: Engine, data: RunTimeData): void {
  const indexed = Object.entries(data).sort(([a], [b]) => rank(a) - rank(b));
  for (const [element, value] of indexed) {
    if (!loadable(element)) continue;
    try {
      engine.loadFromFlattenedJSON({ [element]: value });
    } catch (error) {
      console.warn(`The stored value of ${element} was not taken`, error);
    }
  }
  engine.lastErrorCode = '0';
}

function loadable(element: string): boolean {
  return element.startsWith('cmi.') && !/\._(children|count|version)$/.test(element);
}

/** Lists are filled by index, and a member's identifier and type come before the elements that depend on them. */
function rank(element: string): number {
  const index = Number(/\.(\d+)\./.exec(element)?.[1] ?? -1);
  const leaf = element.split('.').at(-1);
  return index * 4 + (leaf === 'id' ? 0 : leaf === 'type' ? 1 : 2);
}

export function publish(name: 'API' | 'API_1484_11', api: object): void {
  Reflect.set(window, name, api);
}
