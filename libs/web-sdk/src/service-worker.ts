import { failure, messageOf } from './failure.ts';

/** Subscribing needs an active worker; `navigator.serviceWorker.ready` waits for one that controls this page. */
function activated(registration: ServiceWorkerRegistration): Promise<ServiceWorkerRegistration> {
  const worker = registration.installing ?? registration.waiting;
  return new Promise((resolve, reject) => {
    if (registration.active || !worker) return resolve(registration);
    worker.addEventListener('statechange', () => {
      if (worker.state === 'activated') resolve(registration);
      if (worker.state === 'redundant')
        reject(failure('refused', `The service worker ${worker.scriptURL} cannot be installed.`));
    });
  });
}

export async function registerWorker(script: string, scope: string | undefined): Promise<ServiceWorkerRegistration> {
  const options: RegistrationOptions = scope === undefined ? {} : { scope };
  const registering = navigator.serviceWorker.register(script, options);
  const registration = await registering.catch((cause: unknown) => {
    throw failure('refused', `The service worker ${script} cannot be loaded: ${messageOf(cause)}`, cause);
  });
  return activated(registration);
}

export function registeredWorker(
  script: string,
  scope: string | undefined,
): Promise<ServiceWorkerRegistration | undefined> {
  const folder = new URL('.', new URL(script, location.href)).href;
  return navigator.serviceWorker.getRegistration(new URL(scope ?? folder, location.href).href);
}
