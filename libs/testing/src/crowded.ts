import { cluster, type ClusterWorld, type ClusterWorldOptions } from './cluster.ts';
import { Crowd } from './crowd.ts';

const USUAL_DEVICES = 16_000;
/** In all; `FAULT_DEVICES` says otherwise. */
const devices = Number(process.env['FAULT_DEVICES'] ?? USUAL_DEVICES);
/** For `jest.setTimeout`: what every test may take, in proportion to the devices. */
export const CROWD_TIMEOUT_MS = 120_000 * Math.max(1, devices / USUAL_DEVICES);
/** Chunks are dealt out to the processes of a service: with so many each has some of them. */
const APPLICATIONS = 8;
const DEAD = 5;
/** Slow enough for moments to be told apart. */
const LATENCY_MS = 30;

/** The distributed form with stores of its own, and a crowd in it. */
export async function crowdedCluster(
  options: ClusterWorldOptions = {},
): Promise<{ world: ClusterWorld; crowd: Crowd }> {
  const world = await cluster({ ...options, ownStores: true });
  try {
    const steady = Math.ceil(devices / APPLICATIONS / 2);
    const crowd = await Crowd.gather(world, { applications: APPLICATIONS, steady, dead: DEAD });
    await world.simulators.faults.set('all', { latencyMs: LATENCY_MS });
    return { world, crowd };
  } catch (error) {
    await world.stop();
    throw error;
  }
}
