// Reading the script takes a second of CPU time.
import { parentPort } from 'node:worker_threads';
import apiReference from '@scalar/fastify-api-reference';
import fastify from 'fastify';

const server = fastify();
await server.register(apiReference, { routePrefix: '/docs', configuration: { url: '/openapi.json' } });
const { statusCode, rawPayload } = await server.inject('/docs/js/scalar.js');
if (statusCode !== 200) throw new Error(`HTTP ${statusCode}`);
parentPort?.postMessage(rawPayload);
