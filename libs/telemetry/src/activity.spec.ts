import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { Activity, activityIn } from './activity.ts';

describe('the activity of a process', () => {
  it('is the same for two readers of a registry', () => {
    const [registry, other] = [new Registry(), new Registry()];
    expect(activityIn(registry)).toBe(activityIn(registry));
    expect(activityIn(registry)).not.toBe(activityIn(other));
  });

  it('is unknown while an action is under way, and differs after it', async () => {
    const activity = new Activity();
    const before = activity.read();
    const { promise, resolve } = Promise.withResolvers<string>();
    const done = activity.during(() => promise);
    expect(activity.read()).toBeUndefined();
    resolve('done');
    expect(await done).toBe('done');
    expect(activity.read()).toBeGreaterThan(before!);
  });

  it('counts actions that fail', async () => {
    const activity = new Activity();
    await expect(activity.during(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(activity.read()).toBe(1);
  });

  it('includes added counts', () => {
    const activity = new Activity();
    let commits = 3;
    activity.add(() => commits);
    const before = activity.read();
    commits++;
    expect(activity.read()).toBe(before! + 1);
  });
});
