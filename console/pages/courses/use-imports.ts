import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useApi } from '../../api/api.tsx';
import { courseIdOf, titleOf } from './course-name.ts';
import { type Imported, importPackage } from './import-package.ts';
import type { NewCourse } from './new-course.ts';
import { type Publication, publishCourse } from './publishable.ts';
import { errorsIn } from './release-content.tsx';

/** `none`: the course has not been published here. */
type PublicationStage =
  | { is: 'none' }
  | { is: 'running' }
  | { is: 'ended'; publication: Publication }
  | { is: 'failed'; error: unknown };

export type Stage =
  | { is: 'ready' }
  | { is: 'waiting' }
  | { is: 'sending'; share: number }
  | ({ is: 'done'; publishing: PublicationStage } & Imported)
  | { is: 'failed'; error: unknown; isCourseLeft: boolean }
  | { is: 'cancelled'; isCourseLeft: boolean };

export type Import = {
  key: number;
  file: File;
  courseId: string;
  title: string;
  /** Whether the operator wants to publish the course together with the others. */
  isChosen: boolean;
  stage: Stage;
};
export type DoneImport = Import & { stage: Extract<Stage, { is: 'done' }> };

export const isInProgress = ({ stage }: Import) =>
  stage.is === 'waiting' ||
  stage.is === 'sending' ||
  (stage.is === 'done' && stage.publishing.is === 'running');

/** Whether the import created a course that can be completed, has an option and is not yet published. */
export function isPublishable(one: Import): one is DoneImport {
  const { stage } = one;
  if (stage.is !== 'done' || !stage.isNew || stage.optionError !== null) return false;
  return (
    errorsIn(stage.release) === 0 && (stage.publishing.is === 'none' || stage.publishing.is === 'failed')
  );
}

export function isPublished({ stage }: Import): boolean {
  if (stage.is !== 'done' || stage.publishing.is !== 'ended') return false;
  return ['published', 'publishable'].includes(stage.publishing.publication);
}

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
      const key = ++last.current;
      return { key, file, courseId: own, title: titleOf(file.name), isChosen: true, stage: { is: 'ready' } };
    });
    setImports((before) => [...before, ...added]);
    return added;
  };

  const run = async ({ key, file, courseId, title }: Import, newCourse: NewCourse, signal: AbortSignal) => {
    if (signal.aborted) return change(key, { stage: { is: 'cancelled', isCourseLeft: false } });
    const onSent = (share: number) => change(key, { stage: { is: 'sending', share } });
    onSent(0);
    const outcome = await importPackage(api, { courseId, title, newCourse, file, signal, onSent });
    stops.current.delete(key);
    if ('release' in outcome) change(key, { stage: { is: 'done', publishing: { is: 'none' }, ...outcome } });
    else if (signal.aborted) change(key, { stage: { is: 'cancelled', isCourseLeft: outcome.isCourseLeft } });
    else change(key, { stage: { is: 'failed', ...outcome } });
    await queries.invalidateQueries();
  };

  const start = (wanted: readonly Import[], newCourse: NewCourse) => {
    for (const one of wanted) {
      const stop = new AbortController();
      stops.current.set(one.key, stop);
      change(one.key, { stage: { is: 'waiting' } });
      line.current = line.current.then(() => run(one, newCourse, stop.signal));
    }
  };

  /** Publishes the courses one after another. Each succeeds or fails on its own. */
  const publish = async (wanted: readonly DoneImport[]) => {
    for (const { key, courseId, stage } of wanted) {
      const show = (publishing: PublicationStage) => change(key, { stage: { ...stage, publishing } });
      show({ is: 'running' });
      await publishCourse(api, courseId).then(
        (publication) => show({ is: 'ended', publication }),
        (error: unknown) => show({ is: 'failed', error }),
      );
    }
    await queries.invalidateQueries();
  };

  const cancel = (key: number) => stops.current.get(key)?.abort();
  const remove = (key: number) => setImports((before) => before.filter((one) => one.key !== key));
  return { imports, add, change, start, publish, cancel, remove };
}

export type Imports = ReturnType<typeof useImports>;
