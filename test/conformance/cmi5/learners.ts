import { openUnit } from '../../../server/test/support/au.ts';
import { type Play, play } from '../../../server/test/support/player.ts';
import type { Reply } from '../../../server/test/support/send.ts';
import type { TestService } from '../../../server/test/support/service.ts';
import type { TestTenant } from '../../../server/test/support/tenant.ts';

/** The package is not a cmi5 package or violates the rules of cmi5. */
export class InvalidPackage extends Error {}

type Registration = { LoginID: string; LaunchURL: string; courseId: string };
type OpenSession = { playing: Play; UnitID: string };

const done = ({ status, body }: Reply): Reply['body'] => {
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
};

type Units = Play['session']['Tree']['Units'];

/** All AUs in the order of the course structure, inside and outside of blocks. */
const ausIn = (units: Units): Units =>
  units.flatMap((unit) => [...(unit.Kind === 'au' ? [unit] : []), ...ausIn(unit.Children)]);

/**
 * The operations that the suite needs from an LMS. Each is performed through the API or in the way the player
 * performs it.
 */
export function openLearners(service: TestService, tenant: TestTenant) {
  const registrations = new Map<string, Registration>();
  const sessions = new Map<string, OpenSession>();
  let courses = 0;

  const enrol = async (courseId: string) => {
    const LoginID = await tenant.user();
    const enrolled = done(await tenant.api('POST', `/enrol/${LoginID}/${courseId}`));
    registrations.set(enrolled.EnrollID, { LoginID, LaunchURL: enrolled.LaunchURL, courseId });
    return enrolled.EnrollID as string;
  };

  const found = (registration: string): Registration => {
    const known = registrations.get(registration);
    if (!known) throw new Error(`There is no registration ${registration}.`);
    return known;
  };

  const open = async ({ playing, UnitID }: OpenSession, LaunchMode?: string) => {
    const mode = LaunchMode === undefined ? {} : { LaunchMode };
    const opened = done(await openUnit(playing, service.contentUrl, { UnitID, ...mode }));
    sessions.set(opened.SessionID, { playing, UnitID });
    return opened.URL as string;
  };

  const unitAt = ({ session }: Play, index: number) => ausIn(session.Tree.Units)[index]?.UnitID ?? '';

  return {
    /** A package without a course structure is imported as a web page, so it counts as rejected. */
    importCourse: async (content: Buffer, contentType: string): Promise<string> => {
      const courseId = `catapult-${++courses}`;
      done(await service.api('PUT', `/course/${courseId}`, { Title: courseId }));
      const response = await fetch(`${service.baseUrl}/course/${courseId}/package`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${service.operatorKey}`, 'content-type': contentType },
        body: new Uint8Array(content),
      });
      const text = await response.text();
      if ([400, 415, 422].includes(response.status)) throw new InvalidPackage(text);
      if (!response.ok) throw new Error(text);
      if (JSON.parse(text).Standard !== 'cmi5') throw new InvalidPackage('It is not a cmi5 package.');
      done(await service.api('PUT', `/course/${courseId}/option/open`, {}));
      return courseId;
    },

    /**
     * Returns the URL that the player loads for this unit. Without a registration, it first enrols a learner.
     */
    launch: async (input: { courseId: string; unit: number; registration?: string; launchMode?: string }) => {
      const enrollId = input.registration ?? (await enrol(input.courseId));
      const playing = await play(service, found(enrollId).LaunchURL);
      return open({ playing, UnitID: unitAt(playing, input.unit) }, input.launchMode);
    },

    waive: async (input: { registration: string; unit: number; reason: string }) => {
      const { LoginID, LaunchURL } = found(input.registration);
      const UnitID = unitAt(await play(service, LaunchURL), input.unit);
      const path = `/enrolment/${LoginID}/${input.registration}/waive`;
      done(await tenant.api('POST', path, { UnitID, Reason: input.reason }));
    },

    /** Opening the unit again abandons the session. */
    abandon: async ({ sessionId }: { sessionId: string }) => {
      const session = sessions.get(sessionId);
      if (!session) throw new Error(`There is no session ${sessionId}.`);
      await open(session);
    },
  };
}

export type Learners = ReturnType<typeof openLearners>;
