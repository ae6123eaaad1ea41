import type { SendingApplication } from './plan-chunk.ts';

/**
 * The application with the platforms that the settings of the deployment serve where it has none of its own, at version 0 of its settings (R-A6).
 * @param platforms those that the deployment has settings for
 */
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
