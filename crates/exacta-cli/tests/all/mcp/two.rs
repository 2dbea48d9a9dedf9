//! Two agents at once on one project, over MCP, with a person who approves at random: no change is lost, and every conflict is drift.

use super::talk::{STATELESS, Talk};
use crate::world::World;
use exacta_kernel::hash::Digest;
use exacta_testkit::seed;
use serde_json::json;
use std::collections::BTreeMap;

/// Turns of each; `EXACTA_AGENT_TURNS` asks for more.
fn turns() -> usize {
    std::env::var("EXACTA_AGENT_TURNS").ok().and_then(|turns| turns.parse().ok()).unwrap_or(6)
}

/// What became of the plan of a turn, as the person saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Became {
    Applied,
    Drifted,
    Rejected,
}

/// A plan that waits: its id, the file, and the line that it adds.
type Waiting = (String, String, String);

/// One agent, and the person who decides about its plans.
struct Pair<'w> {
    world: &'w World,
    agent: Talk,
    name: &'static str,
    chance: u64,
    waiting: Vec<Waiting>,
    became: Vec<(Waiting, Became)>,
}

impl<'w> Pair<'w> {
    fn new(world: &'w World, name: &'static str) -> Self {
        let chance = seed().wrapping_add(name.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Self {
            world,
            agent: Talk::begin(world, name, STATELESS),
            name,
            chance,
            waiting: Vec::new(),
            became: Vec::new(),
        }
    }

    fn next(&mut self, below: u64) -> u64 {
        self.chance ^= self.chance << 13;
        self.chance ^= self.chance >> 7;
        self.chance ^= self.chance << 17;
        (self.chance >> 11) % below
    }

    /// The agent adds a line to what it reads, and submits the whole file. A file that changed since it was read is told at once.
    fn turn(&mut self, number: usize) {
        let file = format!("shared-{}.txt", self.next(2));
        let (seen, line) = (self.world.read(&file), format!("{} {number}", self.name));
        let step = json!({
            "type": "file_modify", "target": file, "description": "add a line of this turn to the end of the file",
            "content": format!("{seen}{line}\n"), "base_sha256": Digest::of(seen.as_bytes()).to_string(),
        });
        let intent = json!({ "type": "FixBug", "text": "the file says whose turn it was" });
        let proposal = json!({ "schema": "exacta.plan/1", "intent": intent, "steps": [step] });
        let plan = self.agent.call("submit", json!({ "proposal": proposal }));
        let waiting = (plan["plan_id"].as_str().unwrap().to_owned(), file, line);
        match plan["state"].as_str().unwrap() {
            "not_decided_yet" => self.waiting.push(waiting),
            "denied" => assert_eq!(plan["findings"][0]["code"], "PLAN_TARGET_CHANGED", "{plan}"),
            other => panic!("{other}: {plan}"),
        }
    }

    /// The person looks at some of what waits, in any order.
    fn decide(&mut self, all: bool) {
        while !self.waiting.is_empty() && (all || self.next(3) > 0) {
            let count = self.waiting.len() as u64;
            let at = usize::try_from(self.next(count)).unwrap();
            let waiting = self.waiting.remove(at);
            let became = if self.next(6) == 0 { self.reject(&waiting.0) } else { self.approve(&waiting.0) };
            self.became.push((waiting, became));
        }
    }

    fn reject(&self, id: &str) -> Became {
        match self.world.run(&["reject", id, "--reason", "not now", "--approver-key", &self.world.key()]).code {
            0 => Became::Rejected,
            _ => Became::Drifted,
        }
    }

    fn approve(&self, id: &str) -> Became {
        let approved = self.world.run(&["approve", id, "--approver-key", &self.world.key()]);
        if approved.code == 40 {
            return Became::Drifted;
        }
        approved.expect(0);
        loop {
            match self.world.run(&["execute", id]).code {
                0 => return Became::Applied,
                40 => return Became::Drifted,
                // The other one's run holds the file at this moment.
                60 => std::thread::sleep(std::time::Duration::from_millis(50)),
                other => panic!("{id}: {other}"),
            }
        }
    }
}

#[test]
fn two_agents_lose_nothing_and_see_every_conflict() {
    let world = World::begun();
    for number in 0..2 {
        world.write(&format!("shared-{number}.txt"), "begin\n");
    }
    let pairs: Vec<Pair<'_>> = std::thread::scope(|scope| {
        let begun = ["one", "other"].map(|name| {
            let world = &world;
            scope.spawn(move || {
                let mut pair = Pair::new(world, name);
                for number in 0..turns() {
                    pair.turn(number);
                    pair.decide(false);
                }
                pair.decide(true);
                pair
            })
        });
        begun.into_iter().map(|pair| pair.join().unwrap()).collect()
    });
    let mut counts: BTreeMap<Became, usize> = BTreeMap::new();
    for mut pair in pairs {
        for ((id, file, line), became) in std::mem::take(&mut pair.became) {
            *counts.entry(became).or_default() += 1;
            let there = world.read(&file).lines().filter(|it| *it == line).count();
            assert_eq!(there, usize::from(became == Became::Applied), "{file}: {line}: {became:?}");
            // The agent is told the same as the person was.
            let state = pair.agent.call("status", json!({ "plan_id": id }))["plan"]["state"].clone();
            let told = match became {
                Became::Applied => "applied",
                Became::Drifted => "expired",
                Became::Rejected => "rejected",
            };
            assert_eq!(state, told, "{file}: {line}");
        }
    }
    eprintln!("{counts:?}");
    assert!(counts.contains_key(&Became::Applied), "{counts:?}");
    world.run(&["audit", "verify"]).expect(0);
}
