# SPDX-License-Identifier: MIT
"""Words that are also names of people, groups or hosts, and accounts that belong to nobody."""


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


COMMON = words_of(
    """
    account admin administrator alpine amd amdgpu android anonymous apt arc arch arm ati auto
    backup base beignet bin box build builder cache card case centos chip class cli client clinfo
    cloud clover clprobe cluster code compute conda container core cpu cuda daemon data database
    deb debian deck default demo desktop dev devel developer device display docker dom drive
    driver drm ember end engineering error etc fail failed fedora file flatpak free full gaming
    gentoo git gpu graphics group guc guest hardware hash home hook host huc icd igc image images
    info init install intel ion java jellyfin jet kali kernel kfd kubernetes kvm lab lan laptop
    level lib library linux live loader local localhost log login lxc machine main mali manager
    manjaro mark master max may media memory mesa mint mode module name nas nat native neo net nix
    nixos node none not notebook nouveau nuc null nvidia office olive opencl opensuse operator
    oracle order out owner package page pat path pc pci people person phone pin pip plasma
    platform plex pocl podman pop port power print proc process profile program proxmox python
    queue radeon raspberry raspberrypi ray real red render research rich rob rocm root run runner
    runtime rusticl sag science server service session set share slackware snap sort source spark
    stack station steam steamdeck stream string student support suse sys system table team temp
    test tester tests tiger time tmp token tools torch ubuntu unknown unraid update upload user
    users usr value var vendor version video virtual vm void wall wayland web will win windows
    work worker workstation wsl xe xorg zero
    """
)
"""In free text these are left alone unless something beside them tells that a name is meant."""

SYSTEM_ACCOUNTS = words_of(
    """
    root daemon bin sys sync games man lp mail news uucp proxy www-data backup list irc gnats
    nobody _apt messagebus dbus sshd polkitd rtkit avahi colord geoclue gdm gdm3 sddm lightdm xdm
    greeter gnome-initial-setup uuidd tss usbmux pulse pipewire saned cups http nginx apache
    postgres mysql redis ntp chrony nscd rpc ftp operator nfsnobody jellyfin plex emby immich
    boinc fahclient fah-client photoprism frigate ollama nvidia-persistenced kvm libvirt-qemu qemu
    docker snap_daemon flatpak abc steam folding frr vboxadd user
    """
)
"""Accounts of services, where nothing tells the user id."""

SHARED_GROUPS = words_of(
    """
    adm sudo wheel admin video render plugdev cdrom dip lpadmin docker users audio netdev storage
    power input sambashare libvirt kvm lxd dialout uucp network optical lp floppy bluetooth games
    scanner nogroup nobody staff disk tape kmem tty sgx ssl-cert crontab wireshark vboxusers
    podman i2c gpio spi seat rfkill systemd-journal log sys kfd amdgpu nvidia clavis intel opencl
    """
)
"""Groups that are nobody's own, whatever their number."""
