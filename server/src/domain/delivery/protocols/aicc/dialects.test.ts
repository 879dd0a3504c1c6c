import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { hacp, importAicc, openAicc } from '../../../../../test/support/aicc.ts';
import { dialects } from '../../../../../test/support/aicc-dialects.ts';
import { startService } from '../../../../../test/support/service.ts';
import { newTenant } from '../../../../../test/support/tenant.ts';
import { forTenant } from '../../../../db/transaction.ts';
import { readUnitData } from '../../../enrolments/record/units.ts';

const service = await startService();
after(service.close);
const { api, user, TenantID } = await newTenant(service);
const CourseID = await importAicc(service, { 'course.au': 'system_id,file_name\nA1,unit.html\n' });

type Activity = { Interactions: Record<string, unknown>[]; Objectives: Record<string, unknown>[] };

for (const dialect of dialects)
  test(`a conversation in the dialect of ${dialect.name}`, async () => {
    const { write, type, version, lineBreak } = dialect;
    const LoginID = await user();
    const { EnrollID, LaunchURL } = (await api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
    const address = `/enrolment/${LoginID}/${EnrollID}`;
    const converse = async () => {
      const { sid: session, address } = await openAicc(service, LaunchURL);
      return (command: string, ...lines: string[]) =>
        hacp(address, write({ command, session, version, data: lines.join(lineBreak) }), type);
    };

    const send = await converse();
    const first = await send('GetParam');
    assert.equal(first.error, '0', first.text);
    assert.equal(first.value('version'), version || '4.0');
    assert.equal(first.value('lesson_status'), 'Not attempted,Ab-initio');
    for (const [command = '', ...lines] of dialect.messages) {
      // Content repeats a message if the response was lost.
      for (const _ of command === 'PutPerformance' ? [1] : [1, 2]) {
        const reply = await send(command, ...lines);
        assert.equal(reply.error, '0', `${command}: ${reply.text}`);
      }
    }

    const { Completion, Success, Score, TotalSeconds } = (await api('GET', address)).body;
    assert.deepEqual({ Completion, Success, Score, TotalSeconds }, dialect.result);
    const [activity] = (await api('GET', `${address}/activity`)).body.Items as [Activity];
    assert.deepEqual(
      activity.Interactions.map((one) => [
        ...[one.InteractionID, one.Type, one.Response ?? '', one.Result, one.LatencySeconds],
      ]),
      dialect.interactions,
    );
    assert.deepEqual(
      activity.Objectives.map((one) => [one.ObjectiveID, one.Completion, one.Success, one.Score]),
      dialect.objectives,
    );
    const unit = { enrollId: EnrollID, unitId: 'A1' };
    const data = await readUnitData(forTenant(service.ctx, TenantID), unit);
    for (const [name, text] of Object.entries(dialect.stored)) assert.match(data[name] ?? '', text, name);

    const next = await (await converse())('GetParam');
    for (const [name, value] of Object.entries(dialect.resumed)) assert.equal(next.value(name), value, name);
    const lesson = /\[Core_Lesson\]\r\n(?:([\s\S]*?)\r\n)?\[Core_Vendor\]/.exec(next.text)?.[1] ?? null;
    assert.equal(lesson, dialect.lesson);
  });
