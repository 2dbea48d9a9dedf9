//! A project with a site, `blog`, on a WordPress of the test's own, and a skill for it.

use crate::world::{Done, World};
use exacta_testkit::{WordPress, output};
use serde_json::{Value, json};
use std::process::{Command, Stdio};

pub const SKILL: &str = "wp.pages";

/// What a person typed, as plans need it.
pub const GOAL: &str = "put the price list of this year on the site, as agreed";

pub struct Blog {
    pub wordpress: WordPress,
    pub world: World,
    pub key: String,
}

impl Blog {
    /// A site that is added as this user, with the skill; none, and said loudly, where WordPress cannot run.
    pub fn new(user: &str) -> Option<Self> {
        let wordpress = WordPress::start("6.5", &[])?;
        let world = World::begun();
        let key = world.key();
        let blog = Self { wordpress, world, key };
        blog.add("blog", user).expect(0);
        let (repo, commit) = blog.skills("write_publish");
        blog.sync(&repo, &commit).expect(0);
        Some(blog)
    }

    pub fn add(&self, name: &str, user: &str) -> Done {
        self.add_with(name, user, self.wordpress.password(user))
    }

    pub fn add_with(&self, name: &str, user: &str, password: &str) -> Done {
        let url = self.wordpress.url();
        let args =
            ["site", "add", name, &url, "--user", user, "--password-stdin", "--approver-key", &self.key, "--json"];
        self.world.pipe(&args, password.as_bytes())
    }

    pub fn sync(&self, repo: &str, commit: &str) -> Done {
        self.world.run(&["skill", "sync", "--repo", repo, "--commit", commit, "--approver-key", &self.key, "--json"])
    }

    /// A repository with one skill of this class, and its newest commit.
    pub fn skills(&self, class: &str) -> (String, String) {
        let mut tools = vec!["site.get_environment", "content.inventory", "seo.get_config"];
        tools.extend(["content.create_page", "content.bulk_create", "content.update_page"]);
        if class == "write_publish" {
            tools.extend(["content.publish_page", "content.trash_page"]);
        }
        let skill = json!({ "skill_id": SKILL, "version": "1", "tool_allowlist": tools, "safety_class": class, "tags": ["pages"],
            "caps": { "max_pages": 50, "max_tool_calls": 20, "max_steps": 8, "max_cost_usd": 2 } });
        self.committed(&[("pages.json", skill.to_string())])
    }

    /// The repository with these documents, and its newest commit.
    pub fn committed(&self, documents: &[(&str, String)]) -> (String, String) {
        let repo = self.world.path().join("skills-repo");
        std::fs::create_dir_all(repo.join("skills")).unwrap();
        for (name, text) in documents {
            std::fs::write(repo.join("skills").join(name), text).unwrap();
        }
        let git = |args: &[&str]| {
            let mut git = Command::new("git");
            git.args(["-c", "user.name=a", "-c", "user.email=a@a.example"]).args(args).current_dir(&repo);
            let done = output(git.stdin(Stdio::null()));
            assert!(done.status.success(), "{args:?} {done:?}");
            String::from_utf8(done.stdout).unwrap().trim().to_owned()
        };
        git(&["init", "-q"]);
        git(&["add", "."]);
        git(&["commit", "-qm", "skills", "--allow-empty"]);
        (format!("file://{}", repo.display()), git(&["rev-parse", "HEAD"]))
    }

    /// A plan of one step with this tool.
    pub fn draft(&self, tool: &str, pages: &Value) -> Done {
        self.draft_steps("blog", &[&[tool]], pages)
    }

    /// A plan of steps with these tools.
    pub fn draft_steps(&self, site: &str, steps: &[&[&str]], pages: &Value) -> Done {
        let inputs = json!({ "pages": pages });
        let answer = answer(&inputs, steps);
        let (inputs, answer) =
            (self.world.file("inputs.json", inputs.to_string()), self.world.file("answer.json", answer.to_string()));
        let args = ["site", "draft", site, "--skill", SKILL, "--goal", GOAL, "--inputs", &inputs, "--planner-output"];
        self.world.run(&[&args[..], &[&answer, "--json"]].concat())
    }

    /// The same, validated, approved: its id.
    pub fn approved(&self, steps: &[&[&str]], pages: &Value) -> String {
        let plan = self.draft_steps("blog", steps, pages).expect(30).json()["plan_id"].as_str().unwrap().to_owned();
        self.world.run(&["approve", &plan, "--approver-key", &self.key]).expect(0);
        plan
    }

    /// What a user of WordPress gets by the plain interface.
    pub fn ask(&self, user: &str, method: &str, route: &str, body: &Value) -> Value {
        let mut curl = Command::new("curl");
        curl.args(["-s", "-m", "30", "-X", method, "-u", &format!("{user}:{}", self.wordpress.password(user))]);
        if !body.is_null() {
            curl.args(["-H", "Content-Type: application/json", "-d", &body.to_string()]);
        }
        let done = output(curl.arg(format!("{}/wp-json{route}", self.wordpress.url())).stdin(Stdio::null()));
        serde_json::from_slice(&done.stdout).unwrap_or(Value::Null)
    }

    /// A page, as an administrator sees it.
    pub fn page(&self, id: u64) -> Value {
        self.ask("admin", "GET", &format!("/wp/v2/pages/{id}?context=edit"), &Value::Null)
    }

    /// A page that somebody made.
    pub fn make(&self, user: &str, fields: &Value) -> u64 {
        self.ask(user, "POST", "/wp/v2/pages", fields)["id"].as_u64().unwrap()
    }

    /// The pages with this slug, in any status.
    pub fn with_slug(&self, slug: &str) -> Value {
        self.ask("admin", "GET", &format!("/wp/v2/pages?slug={slug}&status=any,trash&context=edit"), &Value::Null)
    }
}

/// What a planner answers: a step for each list of tools.
pub fn answer(inputs: &Value, steps: &[&[&str]]) -> Value {
    let step = |(number, tools): (usize, &&[&str])| {
        json!({ "step_id": format!("step-{number}"), "title": "Write the pages", "objective": "the price list is on the site",
            "expected_output": "the pages", "tools": tools, "page_count_estimate": 1 })
    };
    let steps: Vec<Value> = steps.iter().enumerate().map(step).collect();
    json!({ "plan_version": 1, "skill_id": SKILL, "goal": GOAL, "assumptions": [], "inputs": inputs, "steps": steps })
}
