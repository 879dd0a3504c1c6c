import type { Error12, Error2004 } from './errors.ts';
import type { Problem } from './types.ts';

/** RTE 4th §3.1.7.6. */
export const getCodes2004: Readonly<Record<Problem, Error2004>> = {
  undefined: 401,
  'read only': 404,
  'write only': 405,
  keyword: 301,
  'not initialised': 403,
  'no children': 301,
  'no count': 301,
  'no version': 301,
  'no such member': 301,
  'out of order': 301,
  dependency: 408,
  'not unique': 301,
  'wrong type': 406,
  'out of range': 407,
  'too long': 301,
  'no space': 301,
};

/** RTE 4th §3.1.7.6. */
export const setCodes2004: Readonly<Record<Problem, Error2004>> = {
  ...getCodes2004,
  keyword: 404,
  'out of order': 351,
  'not unique': 351,
  'too long': 351,
  'no space': 351,
};

/**
 * RTE 1.2 §3.3.5. Code 405 covers all invalid values. Code 401 covers unknown names and values that are not
 * set.
 */
export const codes12: Readonly<Record<Problem, Error12>> = {
  undefined: 401,
  'read only': 403,
  'write only': 404,
  keyword: 402,
  'not initialised': 401,
  'no children': 202,
  'no count': 203,
  'no version': 401,
  'no such member': 201,
  'out of order': 201,
  dependency: 201,
  'not unique': 201,
  'wrong type': 405,
  'out of range': 405,
  'too long': 405,
  'no space': 101,
};

const explanations: Readonly<Record<Problem, string>> = {
  undefined: 'is not an element of the data model',
  'read only': 'can only be read',
  'write only': 'can only be set',
  keyword: 'is maintained by the run-time',
  'not initialised': 'has no value yet',
  'no children': 'has no children',
  'no count': 'is not a list',
  'no version': 'has no version',
  'no such member': 'is beyond the end of the list',
  'out of order': 'is beyond the end of the list; members are added in order',
  dependency: 'depends on an identifier or type that is not set yet',
  'not unique': 'is already set, or is a duplicate',
  'wrong type': 'does not accept this value',
  'out of range': 'does not accept a value of this size',
  'too long': 'does not accept a text of this length',
  'no space': 'does not fit into the space that a unit has',
};

export function explain(name: string, problem: Problem): string {
  return `${name.slice(0, 150)} ${explanations[problem]}`;
}
