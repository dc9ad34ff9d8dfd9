// types.ts: what index.d.ts says of the package; tsc --strict must accept it.
import { Faults, LocalServer, start } from "dynamo-local";

const faults: Faults = { throttle: 0.1, throttleError: "ThrottlingException", operations: ["PutItem"], tables: ["Music"], seed: 1 };

async function use(): Promise<string> {
  const server: LocalServer = await start({ port: 0, region: "eu-west-1", pgConfig: "pg_config", faults });
  const clone = await server.clone({ port: 8001, faults: {} });

  await clone.faults({ staleReads: 500, staleIndexesOnly: true, latency: 10, pageItems: 1, internalError: 0, transactionConflict: 1, unprocessed: 0.5, count: 2 });
  await clone.faults();
  await clone.reset();
  await clone.stop();
  await clone.ended;
  // @ts-expect-error: the endpoint is the server's
  server.endpoint = "";
  // @ts-expect-error: no such exception
  await server.faults({ throttleError: "Throttling" });
  // @ts-expect-error: no such fault
  await server.faults({ throtle: 1 });
  // @ts-expect-error: no such option
  await start({ prot: 1 });
  return `${server.endpoint} ${server.region} ${server.credentials.accessKeyId} ${server.credentials.secretAccessKey}`;
}

void use;
