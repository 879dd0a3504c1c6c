import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { contentOf, newContext, openPage, waitForState } from '../../server/test/support/browser.ts';
import { startService } from '../../server/test/support/service.ts';
import { untilMatching } from '../../server/test/support/until.ts';
import { packEverything12 } from './course-packages.ts';

let service: Awaited<ReturnType<typeof startService>>;

before(async () => {
  service = await startService();
  const { body } = await service.importPackage('everything', await packEverything12());
  assert.deepEqual(body.Warnings, []);
});

after(() => service?.close());

/** The value of this element that the content's page has read from the API. */
async function shown(page: Awaited<ReturnType<typeof openPage>>, element: string): Promise<string> {
  return (await contentOf(page).locator(`[data-element="${element}"]`).textContent()) ?? '';
}

test('SCORM 1.2 content can read the values from the manifest and the service, and later the values that it stored', async () => {
  const { LaunchURL, read, EnrollID, LoginID } = await service.enrol('everything');
  const page = await openPage(await newContext());
  await page.goto(LaunchURL);
  await contentOf(page).getByRole('heading', { name: 'Test' }).waitFor();
  const given: [element: string, value: string][] = [
    ['cmi.core.student_id', LoginID],
    ['cmi.core.credit', 'credit'],
    ['cmi.core.lesson_mode', 'normal'],
    ['cmi.core.lesson_status', 'not attempted'],
    ['cmi.core.entry', 'ab-initio'],
    ['cmi.core.total_time', '0000:00:00.00'],
    ['cmi.launch_data', 'level=2'],
    ['cmi.comments', ''],
    ['cmi.comments_from_lms', ''],
    ['cmi.student_data.mastery_score', '80'],
    ['cmi.student_data.max_time_allowed', '01:00:00'],
    ['cmi.student_data.time_limit_action', 'continue,no message'],
    ['cmi.student_preference.audio', '0'],
    ['cmi.student_preference.language', ''],
    ['cmi.interactions._count', '0'],
    ['cmi.objectives._count', '0'],
  ];
  for (const [element, value] of given) assert.equal(await shown(page, element), value, element);
  await page.locator('.unit[aria-disabled=true]').filter({ hasText: 'Certificate' }).waitFor();

  // 70 of 100 is below the mastery score, so “completed” becomes “failed”.
  await contentOf(page).locator('#answer').click();
  await waitForState(page, 'saved');
  const first = await untilMatching(read, ({ Success }) => Success === 'failed');
  assert.deepEqual([first.Score, first.Completion], [70, 'incomplete']);
  await page.context().close();

  const { Items } = (await service.api('GET', `/enrolment/${LoginID}/${EnrollID}/activity`)).body;
  const [unit] = Items;
  assert.deepEqual(
    unit.Interactions.map(
      ({ InteractionID, Type, Response, Result, LatencySeconds }: Record<string, unknown>) => [
        ...[InteractionID, Type, Response, Result, LatencySeconds],
      ],
    ),
    [['q1', 'choice', 'a,c', 'incorrect', 7.5]],
  );
  assert.deepEqual(
    unit.Objectives.map(({ ObjectiveID, Success }: Record<string, unknown>) => [ObjectiveID, Success]),
    [['exits', 'passed']],
  );

  const again = await openPage(await newContext());
  await again.goto(LaunchURL);
  await contentOf(again).getByRole('heading', { name: 'Test' }).waitFor();
  const kept: [element: string, value: string][] = [
    ['cmi.core.lesson_status', 'failed'],
    ['cmi.core.entry', 'resume'],
    ['cmi.core.total_time', '0000:01:30.00'],
    ['cmi.core.lesson_location', 'page 3'],
    ['cmi.suspend_data', 'half'],
    ['cmi.comments', 'Too dark'],
    ['cmi.student_preference.audio', '40'],
    ['cmi.student_preference.language', 'German'],
    ['cmi.student_preference.text', '-1'],
    ['cmi.objectives.0.id', 'exits'],
    ['cmi.interactions._count', '1'],
  ];
  for (const [element, value] of kept) assert.equal(await shown(again, element), value, element);

  await contentOf(again).locator('#pass').click();
  await again.locator('.unit[aria-current]').filter({ hasText: 'Certificate' }).waitFor();
  await contentOf(again).getByRole('heading', { name: 'Certificate' }).waitFor();
  const second = await untilMatching(read, ({ Success }) => Success === 'passed');
  assert.equal(second.Completion, 'incomplete');
  await contentOf(again).locator('#pass').click();
  await untilMatching(read, ({ Completion }) => Completion === 'completed');
  await again.context().close();
});
