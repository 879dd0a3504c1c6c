import { LecternError } from './errors.ts';
import type { Enrolment, EnrolOption, EnrolRequest } from './generated.ts';
import type { Call } from './types.ts';

export type EnrolInput = EnrolRequest & {
  /** The enrolment option, if it is known. */
  durationId?: string;
  /** Chooses one of several options and returns its DurationID. If it returns null, the call throws the error. */
  choose?: (options: EnrolOption[]) => string | null | Promise<string | null>;
};

/** Uses the path with a DurationID if the option is known, otherwise the shorter path. */
export function openEnrol(post: Call<'post'>) {
  const withOption = (LoginID: string, CourseID: string, DurationID: string, body: EnrolRequest) =>
    post('/enrol/{LoginID}/{CourseID}/{DurationID}', {
      params: { path: { LoginID, CourseID, DurationID } },
      body,
    });
  return async (loginId: string, courseId: string, input: EnrolInput = {}): Promise<Enrolment> => {
    const { durationId, choose, ...body } = input;
    if (durationId !== undefined) return withOption(loginId, courseId, durationId, body);
    try {
      const path = { LoginID: loginId, CourseID: courseId };
      return await post('/enrol/{LoginID}/{CourseID}', { params: { path }, body });
    } catch (error) {
      const several = error instanceof LecternError && error.code === 'multiple_enrolment_options';
      const chosen = several && choose ? await choose(optionsOf(error)) : null;
      if (chosen === null) throw error;
      return withOption(loginId, courseId, chosen, body);
    }
  };
}

/** The service lists the options, as in the catalogue, in the error `multiple_enrolment_options`. */
function optionsOf(error: LecternError): EnrolOption[] {
  return error.members.AvailableEnrolOptions as EnrolOption[];
}
