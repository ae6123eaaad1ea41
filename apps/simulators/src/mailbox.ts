import { startSimulators, type Simulators } from './simulators.ts';

const portOf = (name: string, usual: number): number => {
  const given = process.env[name]?.trim();
  return given ? Number(given) : usual;
};

const KEPT = 10_000;

const starting = startSimulators({
  ports: {
    email: portOf('SMTP_PORT', 2525),
    smpp: portOf('SMPP_PORT', 2775),
    control: portOf('MAILBOX_PORT', 8025),
  },
  keepPayloads: true,
  maxEntries: KEPT,
});

const simulators: Simulators = await starting.catch((error: unknown) => {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(
    `The mailbox cannot start: ${reason}\nSMTP_PORT, SMPP_PORT and MAILBOX_PORT choose other ports.\n`,
  );
  return process.exit(1);
});

const smpp = new URL(simulators.urlOf('smpp'));
process.stdout.write(`
Mail and SMS that Tidings sends are shown at ${simulators.controlUrl}
Nothing leaves this machine. Start Tidings in another terminal:

  SMTP_URL=${simulators.smtpUrl} SMPP_URL='smpp://tidings:tidings@${smpp.host}?sender=Tidings' npm start

`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void simulators.close().finally(() => process.exit(0));
  });
}
