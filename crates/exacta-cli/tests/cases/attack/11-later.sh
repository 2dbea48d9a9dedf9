### cron's folders
#alone: it would change the machine
for place in /etc/cron.d /etc/cron.hourly /var/spool/cron /var/spool/cron/crontabs /etc/systemd/system /etc/profile.d /etc/ld.so.conf.d; do echo '* * * * * root touch @OUTSIDE@/cron.txt' > $place/exacta-attack && echo "PWNED-CRON $place"; done; echo x > /etc/ld.so.preload && echo PWNED-PRELOAD; true
### the programs that plan for later
#alone: it would change the machine
echo '* * * * * touch @OUTSIDE@/cron.txt' | crontab - && crontab -l | grep -q outside && echo PWNED-CRON; echo 'touch @OUTSIDE@/at.txt' | at now; systemd-run --on-active=1 touch @OUTSIDE@/timer.txt; batch < /dev/null; true
### timers and services of the user
mkdir -p @USER@/.config/systemd/user/default.target.wants @USER@/.config/autostart "$HOME/.config/systemd/user"; printf '[Service]\nExecStart=touch @OUTSIDE@/unit.txt\n' | tee @USER@/.config/systemd/user/x.service "$HOME/.config/systemd/user/x.service"; printf '[Desktop Entry]\nExec=touch x\n' > @USER@/.config/autostart/x.desktop
