// Compares the golden files with what the module writes, in the folder of the package:
// `node Tests/WebAssembly/compare.mjs MODULE`.
import { webcrypto as crypto } from "node:crypto";
import { readFileSync } from "node:fs";

// Hashing asks for random numbers; anything else that the C library could ask for is a mistake.
const system = new Proxy({}, {
    get: (_, name) => (address, count) => {
        if (name !== "random_get") throw new Error(`the module calls ${name}`);
        crypto.getRandomValues(new Uint8Array(memory.buffer, address, count));
        return 0;
    },
});
const { instance } = await WebAssembly.instantiate(
    readFileSync(process.argv[2]), { wasi_snapshot_preview1: system });
const { memory, vectors, domain } = instance.exports;

let failed = false;
function compare(path, lent) {
    const [address, count] = [Number(lent >> 32n & 0xffffffffn), Number(lent & 0xffffffffn)];
    const written = Buffer.from(new Uint8Array(memory.buffer, address, count));
    if (count > 0 && written.equals(readFileSync(path))) return;
    console.error(`${path}: the module writes something else.`);
    failed = true;
}

const names = ["events", "messages", "refused", "registers", "seals"];
names.forEach((name, index) => compare(`Tests/EventsTests/Vectors/${name}.json`, vectors(index)));
if (vectors(names.length) !== 0n) {
    console.error("The module has a vector file that is not compared: name it in compare.mjs.");
    failed = true;
}
compare("docs/protocol/domain.json", domain());
if (failed) process.exit(1);
console.log(`${names.length} vector files and the domain come out byte for byte, on 32 bits.`);
