import { useFormatter, useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';

export type Import = components['schemas']['Import'];

export const isWorking = ({ Status }: Pick<Import, 'Status'>) => Status.endsWith('ing');

/** Plans for people or a group have no file, and so no lines. Neither do the members of a platform. */
export const isFile = ({ PlatformID, Name }: Import) => PlatformID === null && /\.\w{1,5}$/.test(Name);

/** The result in one sentence whose numbers add up to the rows of the file. */
export function useSentence(): (one: Import) => string {
  const t = useTranslations('imports');
  const format = useFormatter();
  return ({ Status, Counts, Undo }) => {
    if (Undo)
      return Status === 'undoing'
        ? t('working', { done: Undo.Done, rows: Undo.Rows })
        : t('undone', {
            users: Undo.UsersRemoved,
            restored: Undo.UsersRestored,
            enrolments: Undo.EnrolmentsWithdrawn,
            kept: Undo.Kept,
          });
    if (Status === 'planning' || Status === 'applying')
      return t('working', { done: Counts.Done, rows: Counts.Rows });
    const tense = Status === 'planned' ? 'planned' : 'done';
    const kinds = ['Created', 'Updated', 'Unchanged', 'Partial', 'Refused'] as const;
    const parts = kinds
      .filter((kind) => Counts[kind] > 0)
      .map((kind) => t(`parts.${tense}.${kind}`, { count: Counts[kind] }));
    const made = [
      ...(Counts.UsersCreated > 0 ? [t('people', { count: Counts.UsersCreated })] : []),
      ...(Counts.EnrolmentsCreated > 0 ? [t('enrolments', { count: Counts.EnrolmentsCreated })] : []),
    ];
    const sentence = t('sentence', { rows: Counts.Rows, parts: format.list(parts) });
    return made.length === 0 ? sentence : `${sentence} ${t(`made.${tense}`, { made: format.list(made) })}`;
  };
}
