// index.js: private servers with the endpoint, for tests.
//
// All servers of one start() share a directory:
//
//	template	an empty database with the extension and the access key, never started
//	1, 2, ...	of each server: data, spare (a copy of the template for the next reset), old (data
//			before the last reset, until they are removed), faults.conf (settings that faults() sets), log
//
// A server's endpoint serves one database. A reset therefore starts the server anew on the spare
// copy, and a clone is a second server on a base backup of the first.
//
// For root, another user owns the directory and runs the servers: see files.js.
"use strict";

const { spawn } = require("node:child_process");
const crypto = require("node:crypto");
const fs = require("node:fs");
const net = require("node:net");
const path = require("node:path");
const { checkFaults, faultSettings } = require("./faults.js");
const { filesOf, ownFiles } = require("./files.js");
const { findPrograms, serverUser, userEnvironment } = require("./programs.js");
const { Watchdog } = require("./watchdog.js");

const ADDRESS = "127.0.0.1";
const START_SECONDS = 60;

// Nothing of these servers outlives the process, so that nothing need survive a crash.
const SETTINGS = `
listen_addresses = ''
unix_socket_permissions = 0700
fsync = off
synchronous_commit = off
full_page_writes = off
shared_buffers = 32MB
max_connections = 20
max_wal_senders = 4
max_wal_size = 64MB
min_wal_size = 2MB
checkpoint_timeout = 1h
jit = off
log_min_messages = log
max_worker_processes = 16
shared_preload_libraries = 'dynamo, dynamo_faults'
include_if_exists = '../faults.conf'
dynamo.http_listen_addresses = '${ADDRESS}'
dynamo.http_workers = 2
`;

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const refused = (text) => new Error(`dynamo-local: the server refuses the faults:\n${text}`);

const inUse = (port) => new Error(`dynamo-local: port ${port} is in use`);

// A free port, or the given one if it is free.
function freePort(given = 0) {
  return new Promise((resolve, reject) => {
    const listener = net.createServer();

    listener.on("error", (error) => reject(error.code === "EADDRINUSE" ? inUse(given) : error));
    listener.listen(given, ADDRESS, () => {
      const { port } = listener.address();

      listener.close(() => resolve(port));
    });
  });
}

function checkPort(port) {
  if (port !== undefined && (!Number.isInteger(port) || port < 0 || port > 65535))
    throw new TypeError(`dynamo-local: the port must be a number from 0 to 65535, not ${port}`);
  return port || undefined;
}

// What the servers of one start() share.
class Place {
  constructor(options) {
    this.user = serverUser();
    this.programs = findPrograms(options.pgConfig ?? process.env.PG_CONFIG, this.user);
    this.region = options.region ?? "us-east-1";
    if (!/^[a-z0-9-]+$/.test(this.region))
      throw new TypeError(`dynamo-local: "${this.region}" is not a region`);
    this.credentials = {
      accessKeyId: "LOCAL" + crypto.randomBytes(8).toString("hex").toUpperCase(),
      secretAccessKey: crypto.randomBytes(20).toString("hex"),
    };
    this.files = this.user.uid === undefined ? ownFiles : filesOf(async (...args) => (await this.run(...args)).output);
    this.watchdog = new Watchdog(this.user);
    this.servers = new Set();
    this.numbers = 0;
  }

  async makeDirectory() {
    this.directory = await this.watchdog.directory;
  }

  spawn(kind, program, args, stdio) {
    const child = spawn(program, args, { ...this.user, cwd: "/", env: userEnvironment(this.user), detached: true, stdio });

    this.watchdog.watch(kind, child);
    return child;
  }

  program(name) {
    return path.join(this.programs.bindir, name);
  }

  // Runs a program to its end, and returns what it wrote to its standard output and error.
  run(program, args, input) {
    return new Promise((resolve, reject) => {
      const child = this.spawn("T", program, args, [input === undefined ? "ignore" : "pipe", "pipe", "pipe"]);
      let output = "";
      let errors = "";

      child.stdout.setEncoding("utf8").on("data", (text) => { output += text; });
      child.stderr.setEncoding("utf8").on("data", (text) => { errors += text; });
      child.on("error", (error) => reject(new Error(`dynamo-local: cannot execute ${program}: ${error.message}`)));
      child.on("close", (code, signal) => {
        if (code === 0)
          resolve({ output, errors });
        else
          reject(new Error(`dynamo-local: ${program} failed (${signal ?? code}):\n${errors}`));
      });
      if (input !== undefined) {
        child.stdin.on("error", () => {});    // it has ended, and says why
        child.stdin.end(input);
      }
    });
  }

  async makeTemplate() {
    const data = path.join(this.directory, "template");

    await this.run(this.program("initdb"), ["-D", data, "-U", "postgres", "--auth=trust", "--no-sync", "--no-locale",
      "--encoding=UTF8", "--wal-segsize=1"]);
    await this.files.append(path.join(data, "postgresql.conf"), SETTINGS);

    const { accessKeyId, secretAccessKey } = this.credentials;
    const { errors } = await this.run(this.program("postgres"), ["--single", "-j", "-D", data, "-c", "dynamo.http_port=0", "postgres"], [
      "SET client_min_messages = 'warning'",
      "CREATE EXTENSION dynamo",
      "CREATE ROLE app LOGIN",
      "CREATE SCHEMA app AUTHORIZATION app",
      `SELECT dynamo.create_access_key('app', '${accessKeyId}', '${secretAccessKey}')`,
    ].map((statement) => `${statement};\n\n`).join(""));

    if (/^.*\b(ERROR|FATAL|PANIC): /m.test(errors))
      throw new Error(`dynamo-local: the database cannot be made:\n${errors}`);
  }

  // A new server, whose files are yet to be made.
  newServer(port, faults) {
    const server = new Server(this, String(++this.numbers), port, faults);

    this.servers.add(server);
    return server;
  }

  // Forgets a server; with the last one, everything goes.
  async leave(server) {
    this.servers.delete(server);
    await (this.servers.size === 0 ? this.remove() : this.files.remove(server.directory));
  }

  async remove() {
    await this.watchdog.end();
    if (fs.existsSync(this.directory))    // the watchdog was killed
      await this.files.remove(this.directory);
  }
}

class Server {
  constructor(place, number, port, faults) {
    this.place = place;
    this.number = number;
    this.port = port;
    this.firstFaults = faults;
    this.changes = 0;
    this.directory = path.join(place.directory, number);
    this.data = path.join(this.directory, "data");
    this.spare = path.join(this.directory, "spare");
    this.old = path.join(this.directory, "old");
    this.faultsFile = path.join(this.directory, "faults.conf");
    this.log = path.join(this.directory, "log");
    this.ended = new Promise((resolve) => { this.end = resolve; });
    this.turn = Promise.resolve();
  }

  // One operation at a time.
  inTurn(operation) {
    const result = this.turn.then(operation);

    this.turn = result.catch(() => {});
    return result;
  }

  checkRunning() {
    if (!this.child)
      throw new Error("dynamo-local: the server has stopped");
  }

  // Makes the next reset's copy meanwhile.
  prepareSpare() {
    this.copying = this.place.files.remove(this.old)
      .then(() => this.place.run("cp", ["-R", path.join(this.place.directory, "template"), this.spare]));
    this.copying.catch(() => {});    // who needs it learns of it
  }

  async start() {
    const given = this.port !== undefined;

    for (let attempt = 1; ; attempt++) {
      const port = this.port ?? await freePort();

      if (await this.startAt(port)) {
        this.port = port;
        return;
      }
      if (given || attempt === 5)
        throw inUse(port);
    }
  }

  // Waits for a line of the log, after its first bytes, or for the end of the server; returns what
  // the log has after these bytes.
  async awaitLine(pattern, bytes) {
    const { child } = this;

    for (const end = Date.now() + START_SECONDS * 1000; ; await sleep(5)) {
      const ended = this.child !== child || Date.now() > end;
      const text = await this.place.files.read(this.log, bytes);

      if (ended || pattern.test(text))
        return text;
    }
  }

  // Starts the server; returns whether its endpoint got the port.
  async startAt(port) {
    await this.place.files.write(this.log, "");
    const child = this.place.spawn("S", "/bin/sh", ["-c", 'exec "$@" >>"$0" 2>&1', this.log, this.place.program("postgres"),
      "-D", this.data, "-p", this.number, "-k", this.place.directory,
      "-c", `dynamo.region=${this.place.region}`, "-c", `dynamo.http_port=${port}`], ["ignore", "ignore", "ignore"]);
    let failure;

    this.child = child;
    this.gone = new Promise((resolve) => {
      child.on("exit", resolve);
      child.on("error", (error) => {
        failure = error.message;
        resolve();
      });
    });
    this.gone.then(() => {
      if (this.child === child && !this.stopping) {
        this.child = undefined;
        this.end();
      }
    });

    const listens = `listening on IPv4 address "${ADDRESS}", port ${port}, for HTTP`;
    const taken = /could not bind IPv4 address .* for HTTP/;
    const text = child.pid === undefined ? "" : await this.awaitLine(new RegExp(`${listens}|${taken.source}`), 0);

    if (text.includes(listens)) {
      child.unref();
      return true;
    }
    await this.quit();
    if (taken.test(text))
      return false;
    throw new Error(`dynamo-local: the server does not start:\n${failure ?? text}`);
  }

  // Ends the server at once: its data are not needed any more.
  async quit() {
    const child = this.child;

    if (child) {
      this.stopping = true;
      child.ref();
      child.kill("SIGQUIT");
      await this.gone;
      this.child = undefined;
      this.stopping = false;
    }
  }

  // The last line shows in the log when the server has read the others.
  async writeFaults(faults) {
    this.nowFaults = faults;
    await this.place.files.write(this.faultsFile, `${faultSettings(faults)}dynamo_local.change = '${++this.changes}'\n`);
  }

  // Lets the running server read these faults; returns the log's lines if it refuses them.
  async changeFaults(faults) {
    const bytes = await this.place.files.size(this.log);
    const refusal = /invalid value for parameter|configuration file .* contains errors/;
    const changed = `parameter "dynamo_local.change" changed to "${this.changes + 1}"`;

    await this.writeFaults(faults);
    this.checkRunning();
    this.child.kill("SIGHUP");
    const text = await this.awaitLine(new RegExp(`${refusal.source}|${changed}`), bytes);

    this.checkRunning();
    if (refusal.test(text))
      return text;
    if (text.includes(changed))
      return undefined;
    throw new Error("dynamo-local: the server does not read the faults");
  }

  faults(given) {
    return this.inTurn(async () => {
      const faults = checkFaults(given);

      this.checkRunning();
      const former = this.nowFaults;
      const refusal = await this.changeFaults(faults);

      if (refusal !== undefined) {
        await this.changeFaults(former);
        throw refused(refusal);
      }
    });
  }

  reset() {
    return this.inTurn(async () => {
      this.checkRunning();
      try {
        await this.copying;
        await this.quit();
        await this.writeFaults(this.firstFaults);
        await this.place.files.rename(this.data, this.old);
        await this.place.files.rename(this.spare, this.data);
        await this.start();
      } catch (error) {
        this.end();
        throw error;
      }
      this.prepareSpare();
    });
  }

  clone(options = {}) {
    return this.inTurn(async () => {
      const port = checkPort(options.port);
      const faults = options.faults === undefined ? this.nowFaults : checkFaults(options.faults);
      const program = this.place.program("pg_basebackup");

      this.checkRunning();
      if (!fs.existsSync(program))
        throw new Error(`dynamo-local: clone() needs ${program}, of PostgreSQL's client programs`);
      return open(this.place, port, faults, (server) => this.place.run(program, ["-D", server.data, "-h", this.place.directory, "-p", this.number,
        "-U", "postgres", "--checkpoint=fast", "--no-sync", "--no-manifest"]));
    });
  }

  stop() {
    return this.inTurn(async () => {
      if (this.place.servers.has(this)) {
        await this.quit();
        await this.copying?.catch(() => {});
        await this.place.leave(this);
        this.end();
      }
    });
  }

  // What users get. The credentials are an object of their own: SDKs write to it.
  face() {
    return Object.freeze({
      endpoint: `http://${ADDRESS}:${this.port}`,
      region: this.place.region,
      credentials: { ...this.place.credentials },
      ended: this.ended,
      reset: () => this.reset(),
      clone: (options) => this.clone(options),
      faults: (faults) => this.faults(faults),
      stop: () => this.stop(),
    });
  }
}

// Starts a server on the data that a function makes.
async function open(place, port, faults, makeData) {
  const server = place.newServer(port, faults);

  try {
    if (port !== undefined)
      await freePort(port);
    await place.files.makeDirectory(server.directory);
    await server.writeFaults(faults);
    await makeData(server);
    await server.start();
    // at its start, a server ignores what it would refuse later
    const refusal = Object.keys(faults).length > 0 ? await server.changeFaults(faults) : undefined;

    if (refusal !== undefined)
      throw refused(refusal);
  } catch (error) {
    await server.stop();
    throw error;
  }
  server.prepareSpare();
  return server.face();
}

async function start(options = {}) {
  const port = checkPort(options.port);
  const faults = checkFaults(options.faults);
  const place = new Place(options);

  await place.makeDirectory();
  return open(place, port, faults, async (server) => {
    await place.makeTemplate();
    await place.run("cp", ["-R", path.join(place.directory, "template"), server.data]);
  });
}

module.exports = { start };
