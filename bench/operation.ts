import type { Request } from './load/sockets.ts';

/** A learner whose page is open. */
export type OpenSession = { link: string; page: string; path: string; unit: string; file: string };

/** The data that requests use. Users, enrolments and courses are numbered; see `fill.ts`. */
export type Dataset = {
  key: string;
  /** The prefix of names created in this run. */
  run: string;
  users: number;
  enrolments: number;
  courses: number;
  sessions: OpenSession[];
  /** The number of the first enrolment. */
  firstEnrolment?: number;
  /** If set, these tenants take turns sending requests. */
  tenants?: Dataset[];
};

export type Operation = {
  name: string;
  origin: 'api' | 'content';
  expected: number;
  /** Rows that a request writes or reads. */
  rows: number;
  /** The limit to compare with: the database with one or fifty rows per statement, or HTTP alone. */
  limit: 'one' | 'fifty' | 'http';
  /** Maximum concurrent requests per key. More connections would only measure rejections. */
  maxConnections?: number;
  /** The request with this number; counting starts at 0. */
  request: (dataset: Dataset, serial: number) => Request;
};
