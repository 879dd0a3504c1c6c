import type { components } from '../../../client/src/generated.ts';

/** One line of an enrolment's timeline. */
export type Entry = components['schemas']['TimelineEntry'];
