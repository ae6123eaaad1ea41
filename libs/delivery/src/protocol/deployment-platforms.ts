import type { SendingApplication } from './plan-chunk.ts';

export function withDeployment(application: SendingApplication, platforms: readonly number[]): SendingApplication {
  const own = new Set(application.platforms.flatMap(({ platform, configured }) => (configured ? [platform] : [])));
  const served = new Set(platforms.filter((platform) => !own.has(platform)));
  if (served.size === 0) return application;
  return {
    ...application,
    platforms: [
      ...application.platforms.filter(({ platform }) => !served.has(platform)),
      ...Array.from(served, (platform) => ({ platform, enabled: true, configured: true, credentialVersion: 0 })),
    ],
  };
}
