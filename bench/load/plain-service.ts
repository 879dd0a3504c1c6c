// The upper limit for HTTP alone: Fastify serves reads of an enrolment from memory, and uses the service's
// schemas to validate the path and serialise the response. There is no database, no authentication and no
// custom header. Exits when its parent process exits.
import fastify from 'fastify';
import Type from 'typebox';
import { EnrollID, Enrolment } from '../../server/src/domain/enrolments/record/schemas.ts';
import { LoginID } from '../../server/src/domain/users/schemas.ts';

const result = { Completion: 'unknown', Success: 'unknown', Score: null } as const;
const enrolment: Partial<Enrolment> = {
  EnrollID: '01930000-0000-7000-8000-000000000000',
  LoginID: 'u0',
  CourseID: 'c0',
  DurationID: 'year',
  CourseTitle: 'Course 0',
  Status: 'enrolled',
  Outcome: 'not_started',
  ...result,
  Override: null,
  Recorded: result,
  Progress: 0,
  TotalSeconds: 0,
  EnrolledAt: new Date().toISOString(),
  StartedAt: null,
  LastAccessedAt: null,
  CompletedAt: null,
  ExpiresAt: null,
  Launches: 0,
  Attempts: null,
  Attempt: 1,
  TimeFactor: 1,
  AttemptsUsed: 0,
  Reference: null,
  Metadata: {},
  LaunchURL: `http://127.0.0.1/launch/${'x'.repeat(90)}`,
};

const app = fastify({ ajv: { customOptions: { strict: false } } });
const schema = { params: Type.Object({ LoginID, EnrollID }), response: { 200: Type.Partial(Enrolment) } };
app.get('/enrolment/:LoginID/:EnrollID', { schema }, async () => enrolment);
await app.listen({ host: '127.0.0.1', port: 0 });
process.on('disconnect', () => process.exit());
process.send?.(app.listeningOrigin);
