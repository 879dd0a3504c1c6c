import { useQueryClient } from '@tanstack/react-query';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { notify } from '../../parts/toast.tsx';
import type { Enrolment } from './values.tsx';

type EnrolRequest = components['schemas']['EnrolRequest'];
export type Change = components['schemas']['EnrolmentChange'];

/** Enrols with the given option, or with the only one. */
export function useEnrol() {
  const { client } = useApi();
  return async ({
    LoginID,
    CourseID,
    DurationID,
    ...body
  }: EnrolRequest & { LoginID: string; CourseID: string; DurationID?: string }): Promise<Enrolment> => {
    const { data, error } =
      DurationID === undefined
        ? await client.POST('/enrol/{LoginID}/{CourseID}', { params: { path: { LoginID, CourseID } }, body })
        : await client.POST('/enrol/{LoginID}/{CourseID}/{DurationID}', {
            params: { path: { LoginID, CourseID, DurationID } },
            body,
          });
    if (!data) throw error;
    return data;
  };
}

/** Changes one enrolment and shows a confirmation. */
export function useChange({ LoginID, EnrollID }: Pick<Enrolment, 'LoginID' | 'EnrollID'>) {
  const { client } = useApi();
  const queries = useQueryClient();
  return async (body: Change, done: string): Promise<void> => {
    const { error } = await client.PUT('/enrolment/{LoginID}/{EnrollID}', {
      params: { path: { LoginID, EnrollID } },
      body,
    });
    if (error) throw error;
    await queries.invalidateQueries();
    notify(done);
  };
}
