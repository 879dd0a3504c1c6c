import { openTestDatabase } from '../src/platform/db/test-database.ts';

for (let i = 0; i < 4; i++) {
  const a = process.cpuUsage();
  const { engine } = await openTestDatabase();
  const b = process.cpuUsage(a);
  await engine.close();
  console.log(i, (b.user / 1000) | 0, (b.system / 1000) | 0);
}
