/** Extra seconds for a busy machine, in addition to the time that an idle machine needs. */
export const slackSeconds = 20;

/**
 * Waits until the condition is met. The limit is generous, because a busy machine can be many times slower
 * than an idle one.
 */
export async function until(
  what: string | (() => string),
  holds: () => boolean | Promise<boolean>,
  seconds = 60,
): Promise<void> {
  const end = performance.now() + seconds * 1_000;
  while (!(await holds())) {
    if (performance.now() > end)
      throw new Error(`Waited ${seconds} s without success: ${typeof what === 'string' ? what : what()}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/**
 * Repeats the request until the response is as expected, and returns it. The error contains the last wrong response.
 */
export async function untilMatching<Answer>(
  ask: () => Answer | Promise<Answer>,
  isRight: (answer: Answer) => boolean,
  seconds?: number,
): Promise<Answer> {
  let answer = await ask();
  const isFound = async () => {
    if (!isRight(answer)) answer = await ask();
    return isRight(answer);
  };
  await until(() => `the expected response instead of ${JSON.stringify(answer)}`, isFound, seconds);
  return answer;
}
