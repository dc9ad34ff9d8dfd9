#!/usr/bin/env node
// cli.js: starts a server, and stops it with this process.
"use strict";

const { execFileSync } = require("node:child_process");
const { readFileSync } = require("node:fs");
const os = require("node:os");
const { parseArgs } = require("node:util");
const { parseFaults } = require("./faults.js");
const { start } = require("./index.js");

const USAGE = `usage: dynamo-local [--port N] [--region REGION] [--pg-config PROGRAM] [--fault NAME=VALUE]...

Starts a private PostgreSQL server with the DynamoDB API, prints its address and an
access key, and stops it and removes its data when this process ends.

  --port N             the port; a free one if it is absent
  --region REGION      the region that clients sign for (us-east-1)
  --pg-config PROGRAM  the pg_config of the PostgreSQL server to use
  --fault NAME=VALUE   lets the server fail, such as throttle=0.1; README.md lists the names
`;

function fail(message, status) {
  process.stderr.write(`${message}\n`);
  process.exit(status);
}

// The process that started our parent, if our parent is the shell by which npm and npx run commands.
function aboveShell() {
  const shell = process.ppid;
  let above;

  try {
    above = process.platform !== "linux" ? execFileSync("ps", ["-o", "ppid=,args=", "-p", shell], { encoding: "latin1" }) :
      `${/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${shell}/status`, "latin1"))[1]} ${readFileSync(`/proc/${shell}/cmdline`, "latin1").replaceAll("\0", " ")}`;
  } catch {
    return undefined;    // it has ended
  }
  return /^\s*(\d+) \S*sh -c /.exec(above)?.[1];
}

function isGone(pid) {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === "ESRCH";
  }
}

async function main() {
  let values;
  let faults;

  try {
    ({ values } = parseArgs({
      options: {
        port: { type: "string" }, region: { type: "string" }, "pg-config": { type: "string" }, fault: { type: "string", multiple: true, default: [] },
        help: { type: "boolean", short: "h" },
      },
    }));
    faults = parseFaults(values.fault);
  } catch (error) {
    fail(`dynamo-local: ${error.message.replace(/^dynamo-local: /, "")}\n${USAGE}`, 2);
  }
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }

  const starting = start({ port: values.port === undefined ? undefined : Number(values.port), region: values.region, pgConfig: values["pg-config"], faults });
  const byNpm = process.env.npm_command !== undefined;
  const parent = process.ppid;
  const npm = byNpm ? aboveShell() : undefined;
  let ending = false;

  async function end(signal) {
    if (!ending) {
      ending = true;
      await starting.then((server) => server.stop()).catch(() => {});
      process.exit(128 + os.constants.signals[signal]);
    }
  }

  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(signal, () => end(signal));

  // npm and npx send a signal to the shell between them and this process, which does not pass it on; of SIGHUP and SIGKILL they just die
  const stay = setInterval(() => {
    if (byNpm && (process.ppid !== parent || (npm !== undefined && isGone(Number(npm)))))
      end("SIGTERM");
  }, 250);
  const server = await starting;

  process.stdout.write(`export AWS_ENDPOINT_URL=${server.endpoint}
export AWS_REGION=${server.region}
export AWS_DEFAULT_REGION=${server.region}
export AWS_ACCESS_KEY_ID=${server.credentials.accessKeyId}
export AWS_SECRET_ACCESS_KEY=${server.credentials.secretAccessKey}
`);
  await server.ended;
  clearInterval(stay);
  if (!ending) {
    await server.stop();
    fail("dynamo-local: the server has ended", 1);
  }
}

main().catch((error) => fail(error.message, 1));
