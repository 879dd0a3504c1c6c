import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useApi } from '../../api/api.tsx';
import { courseIdOf } from './course-name.ts';
import { importPackage, type Release } from './upload.ts';

export type Stage =
  | { is: 'ready' }
  | { is: 'waiting' }
  | { is: 'sending'; share: number }
  | { is: 'done'; release: Release; isNew: boolean }
  | { is: 'failed'; error: unknown; isCourseLeft: boolean }
  | { is: 'cancelled'; isCourseLeft: boolean };

export type Import = { key: number; file: File; courseId: string; title: string; stage: Stage };

export const isInProgress = ({ stage }: Import) => stage.is === 'waiting' || stage.is === 'sending';

/** Imports packages one after another and shows the stage of each. Leaving the page cancels them. */
export function useImports() {
  const api = useApi();
  const queries = useQueryClient();
  const [imports, setImports] = useState<Import[]>([]);
  const last = useRef(0);
  const line = useRef(Promise.resolve());
  const stops = useRef(new Map<number, AbortController>());

  useEffect(() => {
    const started = stops.current;
    return () => {
      for (const stop of started.values()) stop.abort();
    };
  }, []);

  const change = (key: number, changed: Partial<Import>) =>
    setImports((before) => before.map((one) => (one.key === key ? { ...one, ...changed } : one)));

  /** With `courseId`, all files become releases of this course. Otherwise each file name suggests a CourseID. */
  const add = (files: readonly File[], courseId?: string): Import[] => {
    const taken = imports.map((one) => one.courseId);
    const added = files.map((file): Import => {
      const own = courseId ?? courseIdOf(file.name, taken);
      taken.push(own);
      return { key: ++last.current, file, courseId: own, title: '', stage: { is: 'ready' } };
    });
    setImports((before) => [...before, ...added]);
    return added;
  };

  const run = async ({ key, file, courseId, title }: Import, signal: AbortSignal) => {
    if (signal.aborted) return change(key, { stage: { is: 'cancelled', isCourseLeft: false } });
    const onSent = (share: number) => change(key, { stage: { is: 'sending', share } });
    onSent(0);
    const outcome = await importPackage(api, { courseId, title, file, signal, onSent });
    stops.current.delete(key);
    if ('release' in outcome) change(key, { stage: { is: 'done', ...outcome } });
    else if (signal.aborted) change(key, { stage: { is: 'cancelled', isCourseLeft: outcome.isCourseLeft } });
    else change(key, { stage: { is: 'failed', ...outcome } });
    await queries.invalidateQueries();
  };

  const start = (wanted: readonly Import[]) => {
    for (const one of wanted) {
      const stop = new AbortController();
      stops.current.set(one.key, stop);
      change(one.key, { stage: { is: 'waiting' } });
      line.current = line.current.then(() => run(one, stop.signal));
    }
  };

  const cancel = (key: number) => stops.current.get(key)?.abort();
  const remove = (key: number) => setImports((before) => before.filter((one) => one.key !== key));
  return { imports, add, change, start, cancel, remove };
}

export type Imports = ReturnType<typeof useImports>;
