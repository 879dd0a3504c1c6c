import { codeOf, Problem } from '../../lib/errors.ts';

export function courseNotFound(): Problem {
  return new Problem(
    'course_not_found',
    'The course does not exist. List the courses with GET /catalogue/course.',
    { param: 'CourseID' },
  );
}

export function releaseNotFound(): Problem {
  return new Problem(
    'release_not_found',
    "The release does not exist. List the course's releases with GET /course/{CourseID}/release.",
    { param: 'Release' },
  );
}

/** Turns a foreign-key violation by a DELETE (PostgreSQL error 23503) into `problem`. */
export function translateInUse(problem: Problem): (error: unknown) => never {
  return (error) => {
    throw codeOf(error) === '23503' ? problem : error;
  };
}
